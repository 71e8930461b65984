package interop

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The releases of XXL-JOB's Java library that are driven and that drive. Others
// have the same classes under other names.
const javaCore = "3.2.0"

// javaPath fetches the library and compiles our programs against it. Without
// Java or Maven the test fails: whoever asks for it wants to know.
func javaPath(t *testing.T, dir string) string {
	t.Helper()
	lib, classes := filepath.Join(dir, "lib"), filepath.Join(dir, "classes")
	command(t, "mvn", "-q", "-B", "-f", filepath.Join("java", "pom.xml"), "-Dcore="+javaCore,
		"dependency:copy-dependencies", "-DoutputDirectory="+lib)
	path := filepath.Join(lib, "*") + string(os.PathListSeparator) + classes
	command(t, "javac", "-d", classes, "-cp", path, filepath.Join("java", "Admin.java"), filepath.Join("java", "Peer.java"))
	return path
}

func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestJavaAdmin lets the client of XXL-JOB's Java library drive our executor, and
// reads its registrations and callbacks with that library's classes.
func TestJavaAdmin(t *testing.T) {
	dir := t.TempDir()
	path := javaPath(t, dir)
	orth := build(t, filepath.Join(dir, "orth"), "..", "./cmd/orth")
	admin, port := freePort(t), freePort(t)
	start(t, "executor", orth, "executor", "--servers", "http://127.0.0.1:"+admin+"/xxl-job-admin",
		"--executor-token", "tok", "--group", "from-java", "--listen", "127.0.0.1:"+port,
		"--data", filepath.Join(dir, "data"), "--scripts", "--kill-grace", "1s")
	got := command(t, "java", "-cp", path, "Admin", admin, "tok")
	const want = `registry: EXECUTOR from-java
beat: 200 Success
wrong token: 500 The access token is wrong.
run: 200 Success
run callback: 200 null
log: 1..4 end=false true
no log: 0 end=true readLog fail, logFile not exists
again: 500 repeat trigger job, logId:11
exit: 200 Success
exit callback: 500 script exit value(3) is failed
timeout: 200 Success
timeout callback: 502 job execute timeout 
idle: 200 Success
busy: 500 job thread is running or has trigger queue.
discard: 500 block strategy effect：Discard Later
behind: 200 Success
cover: 200 Success
covered callback: 500 block strategy effect：Cover Early [job running, killed]
covered behind callback: 500 block strategy effect：Cover Early [job not executed, in the job queue, killed.]
kill: 200 Success
killed callback: 500 scheduling center kill job. [job running, killed]
kill nothing: 200 Success job thread already killed.
unknown handler: 500 job handler [nobody] not found.
unknown glue: 500 glueType[GLUE_RUBY] is not valid.
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestJavaExecutor lets our server drive an executor built on XXL-JOB's Java
// library.
func TestJavaExecutor(t *testing.T) {
	dir := t.TempDir()
	path := javaPath(t, dir)
	orth := build(t, filepath.Join(dir, "orth"), "..", "./cmd/orth")
	server, port, data := freePort(t), freePort(t), filepath.Join(dir, "data")
	start(t, "server", orth, "server", "--data", data, "--listen", "127.0.0.1:"+server)
	cli := func(args ...string) (string, error) {
		out, err := exec.Command(orth, append(args, "--data", data)...).CombinedOutput()
		return string(out), err
	}
	eventually(t, "the server answers", func() error {
		_, err := cli("job", "list")
		return err
	})
	token, err := os.ReadFile(filepath.Join(data, "executor.token"))
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range []string{"greet", "explode", "slow"} {
		if out, err := cli("job", "create", job, "--group", "java-peer", "--handler", job, "--param", "the world",
			"--manual", "--timeout", "2s"); err != nil {
			t.Fatalf("create %s: %s", job, out)
		}
	}
	start(t, "peer", "java", "-cp", path, "Peer", "http://127.0.0.1:"+server+"/xxl-job-admin",
		strings.TrimSpace(string(token)), "java-peer", port, filepath.Join(dir, "logs"))
	eventually(t, "the peer is registered", func() error {
		if out, _ := cli("executors"); !strings.Contains(out, "http://127.0.0.1:"+port) {
			return fmt.Errorf("it is not in the list:\n%s", out)
		}
		return nil
	})
	for _, test := range []struct{ job, state, message, log string }{
		{"greet", "succeeded", "hello the world", "shard 0 of 1"},
		{"explode", "failed", "the handler failed on purpose", "about to fail with the world"},
		{"slow", "timed_out", "job execute timeout", ""},
	} {
		out, err := cli("job", "trigger", test.job, "--wait")
		if (err == nil) != (test.state == "succeeded") {
			t.Errorf("%s: %v\n%s", test.job, err, out)
		}
		text, _ := cli("run", "list", "--job", test.job, "-o", "json")
		runs := list(t, text)
		if len(runs) != 1 || runs[0].State != test.state || !strings.Contains(runs[0].Message, test.message) {
			t.Errorf("the runs of %s: %+v", test.job, runs)
			continue
		}
		if log, err := cli("run", "log", runs[0].ID); err != nil || !strings.Contains(log, test.log) {
			t.Errorf("the log of %s: %v\n%s", test.job, err, log)
		}
	}
}
