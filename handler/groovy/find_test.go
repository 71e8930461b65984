package groovy

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/job"
)

// found is the machine's Groovy, asked once for all tests.
var found = sync.OnceValues(func() (savedRuntime, error) {
	dir, err := os.MkdirTemp("", "orth-groovy-")
	if err != nil {
		return savedRuntime{}, err
	}
	argv, version, err := Find(context.Background(), dir, "")
	return savedRuntime{Version: version, Argv: argv}, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if r, err := found(); err == nil { // …/orth-groovy-N/groovy-K/classes begins the class path
		classes, _, _ := strings.Cut(r.Argv[len(r.Argv)-2], string(os.PathListSeparator))
		_ = os.RemoveAll(filepath.Dir(filepath.Dir(classes)))
	}
	os.Exit(code)
}

// need skips a test where Groovy is missing, unless the tools are required.
func need(t *testing.T) savedRuntime {
	t.Helper()
	r, err := found()
	switch {
	case err == nil:
		return r
	case os.Getenv("ORTH_REQUIRE_TOOLS") != "":
		t.Fatalf("groovy is required: %v", err)
	default:
		t.Skipf("groovy is missing: %v", err)
	}
	return r
}

// ended is how a class ended.
type ended struct {
	exit    int
	message string
	output  string
}

// prepare makes the command that runs a class of testdata as an executor does.
func prepare(t *testing.T, name, param string) (cmd *exec.Cmd, result string) {
	t.Helper()
	//nolint:usetesting // t.TempDir has the name of the test in it, and Java names files by the locale
	dir, err := os.MkdirTemp("", "orth-result-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	result = filepath.Join(dir, "result")
	r := need(t)
	argv := append(append([]string{}, r.Argv[1:]...), filepath.Join("testdata", name), param, "1", "3")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd = exec.CommandContext(ctx, r.Argv[0], argv...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "ORTH_JOB_ID=7", "ORTH_JOB_LOG_ID=70",
		"ORTH_JOB_PARAM=" + param, "ORTH_JOB_RESULT_FILE=" + result,
	}
	return cmd, result
}

func play(t *testing.T, name, param string) ended {
	t.Helper()
	cmd, result := prepare(t, name, param)
	output, err := cmd.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	message, err := os.ReadFile(result)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return ended{cmd.ProcessState.ExitCode(), string(message), string(output)}
}

func TestClassesRun(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file, param string
		exit        int
		message     string   // whole, or its beginning before "…"
		output      []string // parts, in this order
		not         string
	}{
		{file: "helper.groovy", param: "你 a", message: "all of 你好", output: []string{
			" init\n", " job 7 attempt 70 shard 1 of 3 with 你 a\n", " no hole\n",
			" a kept {} and a filled 0, one without {}\n", " 100% of 你好\n",
			" java.lang.IllegalStateException: only logged\n\tat com.xxl.job.service.handler.HelperJob.execute(helper.groovy:",
			" with cause\njava.lang.IllegalStateException: below\n", "\nplain output\n", " destroy\n",
		}, not: "reflect"},
		{file: "silent.groovy", output: []string{"param <>\n"}},
		{file: "outcome.groovy", param: "fail", exit: 1, message: "it went wrong"},
		{file: "outcome.groovy", param: "fail without text", exit: 1},
		{file: "outcome.groovy", param: "timeout", exit: 124, message: "too slow"},
		{file: "outcome.groovy", param: "result", exit: 1, message: "an own code"},
		{file: "outcome.groovy", param: "success after fail", message: "yes"},
		{
			file: "outcome.groovy", param: "throw after success", exit: 1,
			message: "java.lang.IllegalArgumentException: the file is missing",
			output:  []string{" java.lang.IllegalArgumentException: the file is missing\n", "outcome.groovy:"},
		},
		{
			file: "outcome.groovy", param: "cause", exit: 1,
			message: "java.lang.IllegalStateException: the import failed; caused by: java.net.ConnectException: Connection refused",
		},
		{file: "outcome.groovy", param: "same cause", exit: 1, message: "java.lang.RuntimeException: java.net.ConnectException: Connection refused"},
		{file: "outcome.groovy", param: "error", exit: 1, message: "java.lang.StackOverflowError: too deep"},
		{file: "outcome.groovy", param: "thread", message: "left 1 thread"},
		{file: "outcome.groovy", param: "exit", exit: 7},
		{file: "outcome.groovy", param: "long", message: strings.Repeat("x", 16<<10)},
		{file: "returning.groovy", param: "a,b", output: []string{" a,b on 1/3\n"}},
		{file: "returning.groovy", param: "fail", exit: 1, message: "returned a failure"},
		{file: "returning.groovy", param: "timeout", exit: 124},
		{
			file: "returning.groovy", param: "null", exit: 1,
			message: "com.xxl.job.service.handler.ReturningJob.execute returned null: return a ReturnT, such as ReturnT.SUCCESS",
		},
		{file: "varargs.groovy", param: "a,b", output: []string{" 2 parameters: [a, b]\n"}},
		{file: "orth.groovy", message: "by another name", output: []string{" other names, job 7\n"}},
		{file: "spring.groovy", output: []string{
			"The field SpringJob.list stays as it is", "The field SpringJob.map stays as it is", "list is null\n",
		}},
		{
			file: "bean.groovy", exit: 1, message: "startup failed:…",
			output: []string{"This class asks for beans of Spring.", "bean.groovy: 2: unable to resolve class com.example.DemoService"},
		},
		{file: "several.groovy", output: []string{"shared by rows\n"}},
		{file: "two.groovy", exit: 1, message: "testdata/two.groovy: 2 classes in the source that can run: write one class that extends IJobHandler"},
		{file: "blank.groovy", exit: 1, message: "testdata/blank.groovy: the source is blank: write a class that extends IJobHandler"},
		{
			file: "plain.groovy", exit: 1, message: "testdata/plain.groovy: no class in the source that can run: write one class that extends IJobHandler",
			not: "a script",
		},
		{file: "nothing.groovy", exit: 1, message: "testdata/nothing.groovy: the class Nothing has no execute(), execute(String) or execute(String...): write one"},
		{file: "broken.groovy", exit: 1, message: "startup failed:\ntestdata/broken.groovy: 4: unable to resolve class Missing…"},
		{file: "constructor.groovy", exit: 1, message: "testdata/constructor.groovy: the class Needs has no constructor without parameters: add one"},
		{file: "init.groovy", exit: 1, message: "java.io.IOException: no connection", not: "never"},
		{file: "destroy.groovy", message: "done before", output: []string{"destroy ended with an error", "java.io.IOException: cannot close"}},
		{file: "absent.groovy", exit: 1, message: "java.nio.file.NoSuchFileException: testdata/absent.groovy"},
	}
	for _, tc := range tests {
		t.Run(tc.file+" "+tc.param, func(t *testing.T) {
			t.Parallel()
			got := play(t, tc.file, tc.param)
			if got.exit != tc.exit {
				t.Errorf("exit value %d, want %d", got.exit, tc.exit)
			}
			beginning, open := strings.CutSuffix(tc.message, "…")
			if got.message != tc.message && (!open || !strings.HasPrefix(got.message, beginning)) {
				t.Errorf("message %q, want %q", got.message, tc.message)
			}
			rest := got.output
			for _, part := range tc.output {
				_, after, has := strings.Cut(rest, part)
				if !has {
					t.Errorf("the output lacks %q", part)
				}
				rest = after
			}
			if tc.not != "" && strings.Contains(got.output, tc.not) {
				t.Errorf("the output has %q", tc.not)
			}
			if t.Failed() {
				t.Logf("output:\n%s", got.output)
			}
		})
	}
}

func TestLogLinesBeginWithTheTime(t *testing.T) {
	t.Parallel()
	got := play(t, "returning.groovy", "x")
	line := regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} x on 1/3\n$`)
	if !line.MatchString(got.output) {
		t.Errorf("output %q does not match %s", got.output, line)
	}
}

func TestLambdaRunsOrIsExplained(t *testing.T) {
	t.Parallel()
	got := play(t, "lambda.groovy", "")
	if strings.HasPrefix(need(t).Version, "2.") {
		if want := "install Groovy 3 or newer"; got.exit != 1 || !strings.Contains(got.output, want) {
			t.Errorf("exit value %d, output %q, want 1 and %q", got.exit, got.output, want)
		}
		return
	}
	if want := "from a lambda\n"; got.exit != 0 || got.output != want {
		t.Errorf("exit value %d, output %q, want 0 and %q", got.exit, got.output, want)
	}
}

func TestFindRemembersAndRepairs(t *testing.T) {
	t.Parallel()
	need(t)
	dir := t.TempDir()
	old := filepath.Join(dir, "groovy-0123456789abcdef")
	mine := filepath.Join(dir, "groovy-of-mine")
	for _, folder := range []string{old, mine} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	first, version, err := Find(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]bool{old: false, mine: true} {
		if _, err := os.Stat(folder); (err == nil) != want {
			t.Errorf("%s is there: %t, want %t", folder, err == nil, want)
		}
	}
	classes, _, _ := strings.Cut(first[len(first)-2], string(os.PathListSeparator))
	before := modified(t, classes)
	second, again, err := Find(t.Context(), dir, "")
	if err != nil || again != version || strings.Join(second, " ") != strings.Join(first, " ") {
		t.Errorf("the second Find = %q, %q, %v; want the first answer", second, again, err)
	}
	if after := modified(t, classes); after != before {
		t.Error("the second Find compiled again")
	}
	if err := os.RemoveAll(filepath.Join(classes, "orth")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Find(t.Context(), dir, ""); err != nil {
		t.Errorf("Find after classes were lost: %v", err)
	}
	if _, err := os.Stat(filepath.Join(classes, "orth", "glue", "Main.class")); err != nil {
		t.Error(err)
	}
}

func modified(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime().UnixNano()
}

func TestResultThatCannotBeWrittenIsToldInTheLog(t *testing.T) {
	t.Parallel()
	cmd, result := prepare(t, "helper.groovy", "x")
	cmd.Env = append(cmd.Env, "ORTH_JOB_RESULT_FILE="+filepath.Join(result, "nowhere"))
	output, err := cmd.CombinedOutput()
	if want := " write the result: java.nio.file.NoSuchFileException: "; err != nil || !strings.Contains(string(output), want) {
		t.Errorf("%v, output %q, want %q", err, output, want)
	}
}

func TestFindWithoutGroovy(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, _, err := Find(t.Context(), t.TempDir(), "")
	want := "this executor's machine has no groovy along PATH: install Groovy 2.4 or newer and Java 8 or newer, or route the job elsewhere"
	if !job.Is(err, job.Refused) || err.Error() != want {
		t.Errorf("error %v, want %q", err, want)
	}
	_, _, err = Find(t.Context(), t.TempDir(), "/no/such/groovy")
	if !job.Is(err, job.Refused) || !strings.Contains(err.Error(), "/no/such/groovy") {
		t.Errorf("error %v, want one that names the path", err)
	}
}

func TestReadFacts(t *testing.T) {
	t.Parallel()
	got := readFacts("WARNING: something\north:version=2.4.21\r\north:java=/opt/java = 17\northless\north:jar=/a.jar\north:jar=/b c.jar\n")
	if got.version != "2.4.21" || got.java != "/opt/java = 17" || strings.Join(got.jars, "|") != "/a.jar|/b c.jar" {
		t.Errorf("facts %+v", got)
	}
}

func TestOutputIsBounded(t *testing.T) {
	t.Parallel()
	var b bounded
	for range 3 {
		if n, err := b.Write(bytes.Repeat([]byte("x"), outputLimit/2+1)); n != outputLimit/2+1 || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	if b.Len() != outputLimit {
		t.Errorf("%d bytes are kept, want %d", b.Len(), outputLimit)
	}
}
