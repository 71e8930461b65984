package cli_test

import (
	"strings"
	"testing"
)

// Many are done at once: what is asked of the server, what is shown, and the exit code.
func TestBulk(t *testing.T) {
	t.Parallel()
	jobs := `200 {"done":1,"failed":1,"more":true,"next":"etl","items":[{"key":"report","run":"5"},{"key":"etl","error":{"status":409,"code":"conflict","detail":"it is busy"}}]}`
	runs := `200 {"done":2,"failed":0,"items":[{"key":"5"},{"key":"6"}]}`
	for _, c := range []struct {
		line, stdout, stderr, request string
		code                          int
	}{
		{
			"job bulk trigger report etl", "KEY     RESULT\nreport  ok: run 5\netl     failed: it is busy\n", "'trigger': 1 job is done, 1 failed; more match: continue with --after etl\n",
			`POST /api/v1/jobs/bulk?namespace=default {"action":"trigger","keys":["report","etl"]}`, 1,
		},
		{
			"job bulk label --all --group reports --template base --set team=data --remove owner --dry-run --limit 5 -o name", "report\netl\n", "",
			`POST /api/v1/jobs/bulk?namespace=default {"action":"label","filter":{"group":"reports","template":"base","limit":5},"labels":{"owner":null,"team":"data"},"dry_run":true}`, 1,
		},
		{
			"run bulk cancel --all --job report --state running --after 9 --reason why --yes", "KEY  RESULT\n5    ok\n6    ok\n", "'cancel': 2 runs are done\n",
			`POST /api/v1/runs/bulk {"action":"cancel","filter":{"job":"report","states":["running"],"before":"9","limit":200},"reason":"why"}`, 0,
		},
		{
			"run bulk cancel 5 6 --dry-run", "KEY  RESULT\n5    it is being stopped already\n6    it would be cancelled at once\n", "'cancel' would change 2 runs, 1 already unchanged\n",
			`POST /api/v1/runs/bulk {"action":"cancel","ids":["5","6"],"dry_run":true}`, 0,
		},
	} {
		if strings.HasPrefix(c.line, "job bulk label") {
			jobs = strings.Replace(jobs, `"more":true,"next":"etl",`, "", 1)
		}
		if strings.HasPrefix(c.line, "run bulk cancel 5") {
			runs = `200 {"done":2,"failed":0,"unchanged":1,"items":[{"key":"5","would":"it is being stopped already","unchanged":true},{"key":"6","would":"it would be cancelled at once"}]}`
		}
		server := newFake(t, map[string][]string{"POST /jobs/bulk": {jobs}, "POST /runs/bulk": {runs}})
		r := orth(t.Context(), server.env(), strings.Fields(c.line)...)
		if r.code != c.code || r.stdout != c.stdout || r.stderr != c.stderr || server.seen() != c.request {
			t.Errorf("%s: %+v, asked for %s", c.line, r, server.seen())
		}
	}
}

func TestBulkRefuses(t *testing.T) {
	t.Parallel()
	wrong(t, "job bulk", "ACTION is required: orth job bulk ACTION")
	wrong(t, "job bulk disable", "name the objects, or use --all")
	wrong(t, "job bulk disable a --all", "are mutually exclusive")
	wrong(t, "job bulk disable --all", "standard input is not a terminal")
	wrong(t, "job bulk sing a", `ACTION: "sing": must be one of enable, disable, trigger, delete, label`)
	wrong(t, "run bulk cancel x", `"x" is not an id of a run`)
	wrong(t, "run bulk cancel --all --yes --limit 50000", "--limit: must be between 1 and 10000, got 50000")
	wrong(t, "run bulk cancel --all --yes --after x", `"x" is not an id of a run`)
}
