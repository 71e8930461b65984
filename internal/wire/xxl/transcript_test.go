package xxl

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

// TestTranscripts sends the requests of testdata/*.http over real connections,
// byte by byte as they stand, and compares what comes back and what the room
// behind the handler was asked. A file is a list of cases:
//
//	=== name
//	request line, headers, empty line, body
//	--- answer
//	status, headers without Date, empty line, body
//	--- calls
//	what the room was asked
//
// A request without Content-Length and Transfer-Encoding gets its length; one
// with "Content-Length: none" goes without.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for file, open := range map[string]func() (http.Handler, *calls){
		"executor.http": func() (http.Handler, *calls) {
			room := new(executorRoom)
			return NewExecutorHandler(ExecutorConfig{Token: "tok", Tasks: room, Logs: room}), &room.calls
		},
		"executor_open.http": func() (http.Handler, *calls) {
			room := new(executorRoom)
			return NewExecutorHandler(ExecutorConfig{Tasks: room, Logs: room}), &room.calls
		},
		"executor_stopping.http": func() (http.Handler, *calls) {
			room := new(stoppingRoom)
			return NewExecutorHandler(ExecutorConfig{Tasks: room, Logs: room}), &room.calls
		},
		"executor_limited.http": func() (http.Handler, *calls) {
			room := new(executorRoom)
			return NewExecutorHandler(ExecutorConfig{
				Tasks: plainRoom{room}, Logs: room, Kinds: []job.HandlerKind{job.HandlerNamed, job.HandlerPHP},
			}), &room.calls
		},
		"admin.http": func() (http.Handler, *calls) {
			room := new(serverRoom)
			return NewAdminHandler(AdminConfig{Token: "tok", Leases: room, Outcomes: room}), &room.calls
		},
		"admin_open.http": func() (http.Handler, *calls) {
			room := new(serverRoom)
			return NewAdminHandler(AdminConfig{Leases: room, Outcomes: room}), &room.calls
		},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			handler, seen := open()
			playFile(t, filepath.Join("testdata", file), serve(t, handler), seen)
		})
	}
}

func playFile(t *testing.T, path, addr string, seen *calls) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rewritten strings.Builder
	for i, block := range strings.Split("\n"+string(text), "\n=== ") {
		if i == 0 { // what stands before the first case
			rewritten.WriteString(strings.TrimPrefix(block, "\n"))
			continue
		}
		name, rest, _ := strings.Cut(block, "\n")
		request, want, _ := strings.Cut(rest, "\n--- answer\n")
		got := play(t, addr, request) + "\n--- calls\n" + seen.take()
		got = strings.TrimRight(got, "\n")
		fmt.Fprintf(&rewritten, "\n=== %s\n%s\n--- answer\n%s\n", name, strings.TrimRight(request, "\n"), got)
		if diff := cmp.Diff(strings.TrimRight(want, "\n"), got); diff != "" && !*update {
			t.Errorf("%s: %s (-want +got):\n%s", path, name, diff)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(rewritten.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// play sends one request on a connection of its own and shows the answer.
func play(t *testing.T, addr, request string) string {
	t.Helper()
	head, body, _ := strings.Cut(strings.TrimRight(request, "\n"), "\n\n")
	switch {
	case strings.Contains(head, "\nContent-Length: none"):
		head = strings.ReplaceAll(head, "\nContent-Length: none", "")
	case strings.Contains(head, "\nTransfer-Encoding: chunked"):
		body = fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	default:
		head += fmt.Sprintf("\nContent-Length: %d", len(body))
	}
	conn := dial(t, addr)
	send(t, conn, strings.ReplaceAll(head, "\n", "\r\n")+"\r\nHost: x\r\n\r\n"+body)
	return receive(t, bufio.NewReader(conn))
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func send(t *testing.T, w io.Writer, text string) {
	t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

// receive shows one answer: status, headers without Date, body.
func receive(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatalf("read the answer: %v", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatalf("read the answer's body: %v", err)
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s %s\n", response.Proto, response.Status)
	names := make([]string, 0, len(response.Header))
	for name := range response.Header {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if name != "Date" {
			fmt.Fprintf(&out, "%s: %s\n", name, strings.Join(response.Header[name], ", "))
		}
	}
	if len(response.TransferEncoding) > 0 {
		fmt.Fprintf(&out, "Transfer-Encoding: %s\n", response.TransferEncoding[0])
	}
	fmt.Fprintf(&out, "\n%s", body)
	return out.String()
}
