package errorline

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// lineOf returns the line that a whole output makes.
func lineOf(output string, mask func(string) string) string {
	t := NewTail(new(bytes.Buffer), mask)
	_, _ = t.Write([]byte(output))
	return t.Line()
}

func TestLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, output, want string }{
		{"nothing", "", ""},
		{"blank lines", "\n \n\t\n", ""},
		{"a command that is missing", "start\nx.sh: line 3: foo: command not found\n", "x.sh: line 3: foo: command not found"},
		{"no end of line", "cat: /nonexistent: No such file or directory", "cat: /nonexistent: No such file or directory"},
		{"an error before other output", "psql: error: connection refused\ncleaning up\nremoved 3 files\n", "psql: error: connection refused"},
		{"the last of two errors", "error: first\nerror: second\nbye\n", "error: second"},
		{"an error long ago", "error: old\n" + strings.Repeat("step\n", lookBack) + "gave up\n", "gave up"},
		{"no error at all", "reading\nthree rows are left\n", "three rows are left"},
		{"a count of no errors", "disk is full\nchecked 9 files, 0 errors\n", "checked 9 files, 0 errors"},
		{"warnings", "WARN connection refused, trying again\n2026-11-21 02:30:05 INFO invalid rows: 3\nquota used up\n", "quota used up"},
		{
			"a hint under psql's error", "psql: error: connection to server at \"db\", port 5432 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n",
			`psql: error: connection to server at "db", port 5432 failed: Connection refused`,
		},
		{"an SQL error", "ERROR:  relation \"x\" does not exist\nLINE 1: select * from x;\n                      ^\n", `ERROR: relation "x" does not exist`},
		{
			"curl", "  % Total    % Received % Xferd  Average\n\r  0     0    0\r  0     0    0     0\ncurl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server\n",
			"curl: (7) Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server",
		},
		{
			"git", "To origin\n ! [rejected] main -> main (fetch first)\nerror: failed to push some refs to 'origin'\nhint: Updates were rejected\nhint: See the note\n",
			"error: failed to push some refs to 'origin'",
		},
		{"usage", "Error: unknown flag: --x\nUsage:\n  tool [flags]\n\nUse \"tool --help\" for more information\n", "Error: unknown flag: --x"},
		{"an option", "ls: unrecognized option '--x'\nTry 'ls --help' for more information.\n", "ls: unrecognized option '--x'"},
		{"set -x", "+ echo copying\n+ false\n", "+ false"},
		{"set -x and exit", "+ check\nthe source is empty\n+ exit 3\n", "the source is empty"},
		{"set -x only", "+ exit 3\n", "+ exit 3"},
		{"only indented lines", "  a\n\tb c\n", "b c"},
		{"only frames", "\tat J.main(J.java:1)\n", "at J.main(J.java:1)"},
		{"only a rule", "-----\n", "-----"},
		{"Windows line ends", "one\r\nno route to host: failed\r\n\r\n", "no route to host: failed"},
		{"a progress bar", "10%\r50%\r100%", "100%"},
		{"colours and control characters", "\x1b[31mfatal:\x1b[0m\tbad\x00 \u202edisk\x07\n", "fatal: bad disk"},
		{"no text", "fatal: \xff\xfe\n", "fatal: \uFFFD"},
		{"Python", "Traceback (most recent call last):\n  File \"a.py\", line 2, in f\n    raise KeyError\nKeyError: 'x'\n\nThe above exception was the direct cause of the following exception:\n\n" +
			"Traceback (most recent call last):\n  File \"a.py\", line 4, in <module>\n    try: f()\n         ^^^\nValueError: bad\nsecond line\n", "ValueError: bad"},
		{"Python before late output", "Traceback (most recent call last):\n  File \"a.py\", line 4, in <module>\n    f()\nValueError: bad\nprogress 1\nprogress 2\n", "ValueError: bad"},
		{"Python's syntax", "  File \"x.py\", line 1\n    x =\n       ^\nSyntaxError: invalid syntax\n", "SyntaxError: invalid syntax"},
		{
			"SQLAlchemy", "Traceback (most recent call last):\n  File \"a.py\", line 4, in f\nsqlalchemy.exc.OperationalError: connection failed: Connection refused\n\tIs the server running?\n\n(Background on this error at: https://sqlalche.me/e/20/e3q8)\n",
			"sqlalchemy.exc.OperationalError: connection failed: Connection refused",
		},
		{"Java", "start\nException in thread \"main\" java.lang.RuntimeException: job failed\n\tat J.a(J.java:1)\n\tat J.main(J.java:1)\n", `Exception in thread "main" java.lang.RuntimeException: job failed`},
		{
			"Java with a cause", "Exception in thread \"main\" java.lang.RuntimeException: job failed\n\tat J.a(J.java:1)\nCaused by: java.net.ConnectException: Connection refused\n\tat J.a(J.java:1)\n\t... 3 more\n",
			"Caused by: java.net.ConnectException: Connection refused",
		},
		{
			"Java in several lines", "Exception in thread \"main\" java.lang.IllegalStateException: two rows:\na\nb\n\tat J.main(J.java:1)\n",
			`Exception in thread "main" java.lang.IllegalStateException: two rows:`,
		},
		{"Java by a logger", "02:30 ERROR J - job failed\njava.lang.IllegalStateException: no rows\n\tat J.main(J.java:1)\n02:31 INFO J - shutting down\n", "java.lang.IllegalStateException: no rows"},
		{"a deep trace", "Exception in thread \"main\" java.lang.StackOverflowError\n" + strings.Repeat("\tat J.a(J.java:1)\n", 5000), `Exception in thread "main" java.lang.StackOverflowError`},
		{"a trace long ago", "java.lang.IllegalStateException: no rows\n\tat J.main(J.java:1)\n" + strings.Repeat("step\n", lookBack) + "gave up\n", "gave up"},
		{
			"Node.js", "node:fs:573\n  return binding.open(\n                 ^\n\nError: ENOENT: no such file or directory, open '/nonexistent'\n    at Object.openSync (node:fs:573:18) {\n  errno: -2,\n  code: 'ENOENT'\n}\n\nNode.js v20.20.2\n",
			"Error: ENOENT: no such file or directory, open '/nonexistent'",
		},
		{
			"PHP", "PHP Fatal error:  Uncaught RuntimeException: boom in /x/c.php:1\nStack trace:\n#0 /x/c.php(1): f()\n#1 {main}\n  thrown in /x/c.php on line 1\n",
			"PHP Fatal error: Uncaught RuntimeException: boom in /x/c.php:1",
		},
		{"PowerShell", "\x1b[31;1mException: \x1b[0m/x/a.ps1:1\n\x1b[31;1mLine |\x1b[0m\n\x1b[31;1m   1 | \x1b[0m throw \"boom\"\n\x1b[31;1m     | \x1b[31;1m ~~~~\x1b[0m\n     | boom\n", "boom"},
		{"Perl", "boom at p.pl line 1.\n", "boom at p.pl line 1."},
		{"Ruby", "a.rb:1:in `f': boom (RuntimeError)\n\tfrom a.rb:3:in `<main>'\n", "a.rb:1:in `f': boom (RuntimeError)"},
		{"Rust", "thread 'main' panicked at src/main.rs:2:5:\nno rows\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n", "thread 'main' panicked at src/main.rs:2:5:"},
		{"Go", "panic: assignment to entry in nil map\n\ngoroutine 1 [running]:\nmain.main()\n\t/x/main.go:2 +0x28\nexit status 2\n", "panic: assignment to entry in nil map"},
		{
			"Go with a signal", "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1]\n\ngoroutine 1 gp=0x1 m=0 [running]:\nmain.f(...)\n\t/x/main.go:2\nmain.main()\n\t/x/main.go:2 +0x28\n",
			"panic: runtime error: invalid memory address or nil pointer dereference",
		},
		{".NET", "Unhandled exception. System.Exception: boom\n   at P.Main() in /x/P.cs:line 1\n", "Unhandled exception. System.Exception: boom"},
		{"a long line", "fatal: " + strings.Repeat("é", 3000) + "\n", "fatal: " + strings.Repeat("é", MaxLine-len("fatal: ")-1) + "…"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := lineOf(test.output, nil); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// TestLineIsMasked: secrets are hidden before a line is chosen or cut, those of
// several lines too.
func TestLineIsMasked(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxLine-10) + " hush-hush-hush"
	hide := func(text string) string { return strings.ReplaceAll(text, "hush-hush-hush", "***") }
	if got := lineOf("fatal: login with hush-hush-hush failed\n", hide); got != "fatal: login with *** failed" {
		t.Errorf("%q", got)
	}
	if got := lineOf(long+"\n", hide); strings.Contains(got, "hush") {
		t.Errorf("the cut shows %q", got)
	}
	whole := func(text string) string { return strings.ReplaceAll(text, "BEGIN\nkey\nEND", "BEGIN\n***\nEND") }
	if got := lineOf("BEGIN\nkey\nEND\n+ exit 1\n", whole); got != "END" {
		t.Errorf("%q", got)
	}
	if got := lineOf("  hush-hush-hush\n", hide); got != "***" {
		t.Errorf("indented: %q", got)
	}
}

// TestTailPassesOn: what is written goes on unchanged, however it is cut, and makes
// the same line.
func TestTailPassesOn(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		output := rapid.StringOf(rapid.RuneFrom([]rune("ab: +\t\r\n\x1b[m\u202eErrorat "))).Draw(t, "output")
		var to bytes.Buffer
		tail := NewTail(&to, nil)
		for rest := output; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			_, _ = tail.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		got := tail.Line()
		if to.String() != output || got != lineOf(output, nil) {
			t.Fatalf("%q became %q, line %q", output, to.String(), got)
		}
	})
}

// FuzzLine: whatever is written, the line is one short line of printable text.
func FuzzLine(f *testing.F) {
	f.Add([]byte("a\r\n\x1b[31m\xff\x00\u2066 b\n\tat x\n"))
	f.Add([]byte("goroutine 1 [running]:\nTraceback (most recent call last):\n"))
	f.Fuzz(func(t *testing.T, output []byte) {
		got := lineOf(string(output), nil)
		if !utf8.ValidString(got) || utf8.RuneCountInString(got) > MaxLine || strings.ContainsFunc(got, unicode.IsControl) {
			t.Errorf("%q", got)
		}
		if got == "" && len(bytes.TrimSpace(output)) > 0 && bytes.ContainsFunc(output, unicode.IsLetter) && !bytes.ContainsAny(output, "\x1b\r") {
			t.Errorf("%q makes no line", output)
		}
	})
}

// TestTailIsBounded: an output without end keeps the memory bounded.
func TestTailIsBounded(t *testing.T) {
	t.Parallel()
	tail := NewTail(new(bytes.Buffer), nil)
	for range 1000 {
		_, _ = tail.Write([]byte(strings.Repeat("x", 5000) + "\n" + strings.Repeat("y", 5000)))
	}
	size := cap(tail.open)
	for i := range tail.lines {
		size += cap(tail.lines[i].text)
	}
	if len(tail.lines) != keptLines || size > 2*keptLines*keptBytes {
		t.Errorf("%d lines of %d bytes are kept", len(tail.lines), size)
	}
}

// BenchmarkTail: what is kept of an output costs little beside writing it.
func BenchmarkTail(b *testing.B) {
	chunk := []byte(strings.Repeat("2026-11-21 02:30:05.123 INFO importer - 12345 rows of customers.csv were read\n", 400))
	tail := NewTail(io.Discard, nil)
	b.SetBytes(int64(len(chunk)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = tail.Write(chunk)
	}
}
