package schedule

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updateDescriptions = flag.Bool("update-describe", false, "rewrite the sentences in testdata/describe.golden")

// The golden file has three lines for each expression: itself, the English
// sentence and the Chinese one.
func TestDescribeGolden(t *testing.T) {
	t.Parallel()
	const name = "testdata/describe.golden"
	golden, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	count := 0
	for line := range strings.Lines(string(golden)) {
		expr := strings.TrimRight(line, "\r\n")
		if expr == "" || strings.HasPrefix(expr, "\t") {
			continue
		}
		compiled, err := Spec{Kind: KindCron, Cron: expr}.Compile()
		if err != nil {
			t.Fatal(err)
		}
		cron := compiled.(*Cron)
		fmt.Fprintf(&got, "%s\n\t%s\n\t%s\n", expr, cron.Describe(English), cron.Describe(Chinese))
		count++
	}
	if count < 120 {
		t.Errorf("%s has %d expressions, want at least 120", name, count)
	}
	if *updateDescriptions {
		if err := os.WriteFile(name, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := strings.ReplaceAll(string(golden), "\r\n", "\n")
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("sentences differ (-want +got):\n%s", diff)
	}
}

func ExampleCron_Describe() {
	cron, err := ParseCron("0 0 12 ? * 6#3", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(cron.Describe(English))
	fmt.Println(cron.Describe(Chinese))
	// Output:
	// At 12:00 on the third Friday of the month
	// 每月第三个周五 12:00
}
