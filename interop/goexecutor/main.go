// Command goexecutor is a small program built on a third-party executor of the
// XXL-JOB family, xxl-job-executor-go. The tests start it as a process and let
// an Orth server drive it: nothing of Orth is linked in.
//
//	goexecutor ADMIN TOKEN GROUP PORT LOGS
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

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
	if len(os.Args) != 6 {
		log.Fatal("usage: goexecutor ADMIN TOKEN GROUP PORT LOGS")
	}
	logs := &journal{lines: make(map[int64][]string)}
	executor := xxl.NewExecutor(
		xxl.ServerAddr(os.Args[1]), xxl.AccessToken(os.Args[2]), xxl.ExecutorIp("127.0.0.1"),
		xxl.RegistryKey(os.Args[3]), xxl.ExecutorPort(os.Args[4]),
	)
	executor.Init()
	executor.LogHandler(logs.read)
	executor.RegTask("ok", func(_ context.Context, task *xxl.RunReq) string {
		logs.add(task.LogID, "param %s", task.ExecutorParams)
		logs.add(task.LogID, "shard %d of %d", task.BroadcastIndex, task.BroadcastTotal)
		return "did " + task.ExecutorParams
	})
	executor.RegTask("nothing", func(context.Context, *xxl.RunReq) string { return "" }) // what bench asks for
	// A panic is the only way of the library to fail.
	executor.RegTask("fail", func(_ context.Context, task *xxl.RunReq) string {
		panic("no " + task.ExecutorParams)
	})
	executor.RegTask("throw", func(_ context.Context, task *xxl.RunReq) string {
		logs.add(task.LogID, "about to throw")
		panic("thrown on purpose")
	})
	executor.RegTask("sleep", func(ctx context.Context, task *xxl.RunReq) string {
		logs.add(task.LogID, "begin %d", time.Now().UnixMilli())
		ms, err := strconv.Atoi(task.ExecutorParams)
		if err != nil {
			panic(err)
		}
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
			logs.add(task.LogID, "end %d", time.Now().UnixMilli())
			return ""
		case <-ctx.Done():
			panic(ctx.Err())
		}
	})
	executor.RegTask("lines", func(ctx context.Context, task *xxl.RunReq) string {
		count, err := strconv.Atoi(task.ExecutorParams)
		if err != nil {
			panic(err)
		}
		for i := 1; i <= count; i++ {
			logs.add(task.LogID, "line %d of %d", i, count)
			if i == count/2 {
				select { // the log is read in pieces
				case <-time.After(2500 * time.Millisecond):
				case <-ctx.Done():
					panic(ctx.Err())
				}
			}
		}
		return ""
	})
	if err := executor.Run(); err != nil {
		log.Fatal(err)
	}
}
