// Command goexecutor is a small program built on a third-party executor of the
// XXL-JOB family, xxl-job-executor-go. The interop test starts it as a process
// and lets an Orth server drive it: nothing of Orth is linked in.
//
//	goexecutor -server http://127.0.0.1:8080 -token T -group go-peer -port 9998
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"strings"
	"sync"

	xxl "github.com/xxl-job/xxl-job-executor-go"
)

// journal keeps what each task logged, by log id; the library itself keeps
// nothing.
type journal struct {
	mu    sync.Mutex
	lines map[int64][]string
}

func (j *journal) add(id int64, format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines[id] = append(j.lines[id], fmt.Sprintf(format, args...))
}

// read answers /log the way the Java executor does.
func (j *journal) read(req *xxl.LogReq) *xxl.LogRes {
	j.mu.Lock()
	defer j.mu.Unlock()
	res := &xxl.LogRes{Code: xxl.SuccessCode, Content: xxl.LogResContent{FromLineNum: req.FromLineNum}}
	lines, known := j.lines[req.LogID]
	if !known {
		res.Content.LogContent, res.Content.IsEnd = "readLog fail, logFile not exists", true
		return res
	}
	from := max(req.FromLineNum, 1)
	if from <= len(lines) {
		res.Content.LogContent = strings.Join(lines[from-1:], "\n") + "\n"
		res.Content.ToLineNum = len(lines)
	}
	return res
}

func main() {
	server := flag.String("server", "", "base URL of the server")
	token := flag.String("token", "", "access token")
	group := flag.String("group", "go-peer", "app name")
	port := flag.String("port", "9998", "port to listen on")
	flag.Parse()

	logs := &journal{lines: make(map[int64][]string)}
	executor := xxl.NewExecutor(
		xxl.ServerAddr(*server), xxl.AccessToken(*token), xxl.ExecutorIp("127.0.0.1"),
		xxl.ExecutorPort(*port), xxl.RegistryKey(*group),
	)
	executor.Init()
	executor.LogHandler(logs.read)
	executor.RegTask("greet", func(_ context.Context, task *xxl.RunReq) string {
		logs.add(task.LogID, "greeting %s", task.ExecutorParams)
		logs.add(task.LogID, "shard %d of %d", task.BroadcastIndex, task.BroadcastTotal)
		return "hello " + task.ExecutorParams
	})
	executor.RegTask("nothing", func(context.Context, *xxl.RunReq) string { return "" })
	executor.RegTask("explode", func(_ context.Context, task *xxl.RunReq) string {
		logs.add(task.LogID, "about to fail with %s", task.ExecutorParams)
		panic("the handler failed on purpose")
	})
	if err := executor.Run(); err != nil {
		log.Fatal(err)
	}
}
