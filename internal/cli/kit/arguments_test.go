package kit

import (
	"errors"
	"strings"
	"testing"
)

func TestArgumentsOf(t *testing.T) {
	t.Parallel()
	for use, want := range map[string]string{
		"list": "", "show KEY": "KEY", "diff KEY A [B]": "KEY A [B]", "create KEY --group GROUP (--cron EXPR)": "KEY", "copy KEY (NEWKEY | --file FILE)": "KEY",
		"kubernetes FILE...": "FILE...", "purge [KEY]...": "[KEY]...", "grant NAME ROLE[@NAMESPACE]…": "NAME ROLE[@NAMESPACE]…", "apply -f PATH": "", "bulk (ID... | --all)": "",
	} {
		if got := argumentsOf(use); strings.Join(got, " ") != want {
			t.Errorf("%s takes %q", use, got)
		}
	}
}

func TestWrongArguments(t *testing.T) {
	t.Parallel()
	told := errors.New("as it was told")
	for _, c := range []struct{ names, args, want string }{
		{"KEY", "", "KEY is required: orth x KEY"},
		{"KEY A [B]", "k", "A is required: orth x KEY A [B]"},
		{"KEY A [B]", "k a b c", "too many arguments: orth x KEY A [B]"},
		{"", "k", "orth x takes no arguments"},
		{"FILE...", "", "FILE is required: orth x FILE..."},
		{"NAME ROLE…", "ann", "ROLE is required: orth x NAME ROLE…"},
		{"KEY", "k", "as it was told"},
		{"[KEY]...", "a b c", "as it was told"},
	} {
		if got := wrongArguments("orth x", strings.Fields(c.names), strings.Fields(c.args), told); got.Error() != c.want {
			t.Errorf("%s with %q: %v", c.names, c.args, got)
		}
	}
}
