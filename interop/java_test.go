package interop

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestJavaAdmin lets the client of XXL-JOB's own Java library, of several
// releases, drive our executor, and reads its registrations and callbacks with
// that library's classes.
func TestJavaAdmin(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile(filepath.Join("testdata", "admin.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range releases("2.4.2", "2.5.0", "3.1.1", "3.2.0", "3.3.2") {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			need(t, "java", "javac", "mvn")
			path, err := javaPath(version, "Admin.java")
			if err != nil {
				t.Fatal(err)
			}
			admin, port := freePort(t), freePort(t)
			_, err = run(t, "executor", exec.Command(program, "executor", "--servers", "http://127.0.0.1:"+admin+"/xxl-job-admin",
				"--executor-token", "tok-of-the-test", "--group", "from-java", "--listen", "127.0.0.1:"+port,
				"--data", filepath.Join(t.TempDir(), "data"), "--scripts", "--kill-grace", "1s"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := exec.Command("java", "-Xmx64m", "-XX:TieredStopAtLevel=1", "-cp", path, "Admin", admin, "tok-of-the-test").Output()
			if err != nil {
				t.Fatalf("the admin: %v\n%s", err, got)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
