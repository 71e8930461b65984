package wiretest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// The flags name a peer that runs already, of any project:
//
//	go test github.com/orthd/orth/wiretest -v -run ByFlag -args \
//		-executor http://host:9999 -token tok -app app-x -admin-listen host:8080
var (
	flagExecutor = flag.String("executor", "", "base `URL` of an executor to play the cases of executors against")
	flagAdmin    = flag.String("admin", "", "base `URL` of an admin, with its context path, to play the cases of admins against")
	flagToken    = flag.String("token", "default_token", "the secret that the peer and the suite share")
	flagApp      = flag.String("app", "app-x", "the app name of the executor")
	flagListen   = flag.String("admin-listen", "127.0.0.1:8080", "`host:port` of the suite's admin, which the executor must report to")
	flagFlavour  = flag.String("flavour", string(XXL3), "xxl-2, xxl-3, xxl-3.5 or orth-java")
	flagCan      = flag.String("can", "", "capabilities of the peer, with commas, such as scripts,raw")
	flagDeviates = flag.String("deviates", "", "deviations of the peer, with commas")
	flagOnly     = flag.String("only", "", "numbers of the cases to play, with commas")
	flagPatience = flag.Duration("patience", 45*time.Second, "how long the suite waits for what must come")
)

func listed(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}

func targetByFlag(url string) Target {
	return Target{
		Flavour: Flavour(*flagFlavour), URL: url, Token: *flagToken, App: *flagApp, Listen: *flagListen,
		Can: listed(*flagCan), Deviates: listed(*flagDeviates), Only: listed(*flagOnly), Patience: *flagPatience,
		Announce: func(url string) { fmt.Fprintf(os.Stderr, "the executor must report to %s\n", url) },
	}
}

func TestExecutorByFlag(t *testing.T) {
	if *flagExecutor == "" {
		t.Skip("no executor is named with -executor")
	}
	Executor(t, targetByFlag(*flagExecutor))
}

func TestAdminByFlag(t *testing.T) {
	if *flagAdmin == "" {
		t.Skip("no admin is named with -admin")
	}
	Admin(t, targetByFlag(*flagAdmin))
}
