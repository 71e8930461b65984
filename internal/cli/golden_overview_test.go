package cli_test

import (
	"maps"
	"strings"
	"testing"
)

// TestGoldenOverview is about what shows all there is.
func TestGoldenOverview(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	const day = `"runs":12,"succeeded":9,"failed":1,"timed_out":0,"cancelled":1,"lost":1,"skipped":0,"attempts":13,"success_rate":0.818,"mean_took":"1.5s","max_took":"5s"}`
	const none = `{"day":"2030-01-30","runs":0,"succeeded":0,"failed":0,"timed_out":0,"cancelled":0,"lost":0,"skipped":0,"attempts":0}`
	summary := answers{"GET /summary": {`200 {"at":"2030-01-31T01:30:00.000Z","runs":{"waiting":100000,"retrying":3,"late":2,"running":7},` +
		`"jobs":{"total":120000,"scheduled":90,"soon":12},"executors":{"alive":3,"draining":1,"unreachable":0,"silent":2},` +
		`"open":{"dead_letters":4,"alarms":1},"today":{"day":"2030-01-31",` + day + `,"yesterday":` + none + `}`}}
	namespaces := answers{"GET /namespaces": {`200 {"namespaces":[{"name":"default","jobs":12,"groups":3,"workflows":0,"calendars":1},` +
		`{"name":"team","jobs":0,"groups":0,"workflows":0,"calendars":0}]}`}}
	const server = `"version":"1.2.3","started_at":"2030-01-31T01:30:00.000Z","listen":"127.0.0.1:8080","scheme":"http","store":"sqlite","executors":3,"self":true,"address":"http://10.0.0.7:8080",` +
		`"leads":true,"lag":"18ms","planned":40210,"sent":40377,"held":3,"clock_skew":"-1.5ms",`
	const shared = `"beat_at":"2030-01-31T01:31:00.000Z","lease_until":"2030-01-31T01:31:10.000Z",`
	const one = `{"name":"one:8080",` + server + shared + `"state":"draining","database_bytes":17,"ready":true,"reasons":[],"loops":[]}`
	servers := answers{"GET /servers": {`200 {"servers":[{"name":"one:8080",` + server + `"state":"working","database_bytes":1610612736,"ready":true,"reasons":[],` +
		`"loops":[{"name":"planner","turned_at":"2030-01-31T01:31:00.000Z"}]},{"name":"two:8080",` + server + `"state":"gone","database_bytes":17,"ready":false,` +
		`"reasons":[{"code":"starting","detail":"the planner has not begun"}],"loops":[{"name":"planner"}]}]}`}}
	settings := answers{"GET /settings": {`200 {"settings":[{"name":"api-token","value":"***","secret":true,"source":"environment"},{"name":"lease-ttl","value":"1m30s","source":"file","file":"/etc/orth/server.yaml"},{"name":"tls-key","value":"","source":"default"}]}`}}
	const ended = `"succeeded":9,"failed":1,"timed_out":0,"cancelled":1,"lost":1,"skipped":0,"attempts":13,"success_rate":0.818,"max_took":"5s","took_p50":"1.2s","took_p95":"4.9s"`
	const empty = `"runs":0,"succeeded":0,"failed":0,"timed_out":0,"cancelled":0,"lost":0,"skipped":0,"attempts":0`
	firings := strings.Repeat(`{"at":"2030-01-31T01:31:00.000Z","namespace":"default","group":"reports","job_id":7,"job_key":"report"},`, 12)
	dashboard := answers{"GET /dashboard": {`200 {"at":"2030-01-31T01:30:00.000Z","range":"7d","zone":"Europe/Berlin","buckets":[` +
		`{"from":"2030-01-30T17:00:00.000Z","to":"2030-01-30T23:00:00.000Z",` + empty + `},` +
		`{"from":"2030-01-30T23:00:00.000Z","to":"2030-01-31T05:00:00.000Z","runs":12,` + ended + `}],"total":{"runs":12,` + ended + `},` +
		`"lag":{"attempts":3,"p50":"12ms","p99":"80ms","max":"200ms"},"failing":[{"namespace":"default","group":"reports","job_id":7,"job_key":"report",` +
		`"runs":2,"last_run_id":"5","last_state":"failed","last_at":"2030-01-31T01:30:00.000Z","reason":"boom"}],` +
		`"backlog":[{"namespace":"default","group":"reports","waiting":100000,"oldest_at":"2030-01-31T01:30:00.000Z"}],"firings":[` + strings.TrimSuffix(firings, ",") + `],` +
		`"executors":{"alive":3,"draining":1,"unreachable":0,"silent":2},"groups":[]}`}}
	quiet := answers{"GET /dashboard": {`200 {"at":"2030-01-31T01:30:00.000Z","range":"24h","zone":"UTC","buckets":[],"total":{` + empty + `},` +
		`"lag":{"attempts":0,"p50":"0s","p99":"0s","max":"0s"},"failing":[],"backlog":[],"firings":[],"executors":{"alive":0,"draining":0,"unreachable":0,"silent":0},"groups":[]}`}}
	line := func(more answers) answers {
		all := answers{"GET /timeline": {
			`200 {"from":"2030-01-31T07:00:00.000Z","until":"2030-01-31T19:00:00.000Z","jobs":[` +
				`{"namespace":"default","key":"ping","group":"reports","zone":"UTC","minutes":[0,1,2],"counts":[6,6,1],"partly":true},` +
				`{"namespace":"default","key":"report","title":"The report","group":"reports","zone":"Europe/Berlin","minutes":[30],"counts":[1]}],"next":"report"}`,
			`200 {"from":"2030-01-31T07:00:00.000Z","until":"2030-01-31T19:00:00.000Z","jobs":[` +
				`{"namespace":"default","key":"tidy","group":"reports","zone":"Asia/Shanghai","minutes":[1],"counts":[1]},` +
				`{"namespace":"default","key":"wrong","group":"reports","zone":"UTC","minutes":[],"counts":[],"problem":"there is no calendar \u001b[31mworks"}]}`,
		}}
		maps.Copy(all, more)
		return all
	}
	refused := []string{`403 {"code":"forbidden","detail":"ada lacks the right to admin here"}`}
	for _, c := range []struct {
		name, args string
		answers    answers
	}{
		{"top", "top", summary},
		{"top-json", "top -o json", summary},
		{"dashboard", "dashboard --range 7d --zone Europe/Berlin --namespace default --group reports", dashboard},
		{"dashboard-quiet", "dashboard", quiet},
		{"dashboard-json", "dashboard -o json", quiet},
		{"dashboard-range", "dashboard --range 2h", nil},
		{"timeline", "timeline --from 2030-01-31T08:00:00+01:00 --to 2030-01-31T20:00 --group reports --limit 4", line(namespaces)},
		{"timeline-wide", "timeline --namespace team -o wide", line(nil)},
		{"timeline-json", "timeline --namespace team --limit 2 -o json", line(nil)},
		{"timeline-none", "timeline --namespace team", answers{"GET /timeline": {`200 {"from":"2030-01-31T07:00:00.000Z","until":"2030-02-01T07:00:00.000Z","jobs":[]}`}}},
		{"timeline-too-long", "timeline --namespace team --from 2030-01-31 --to 2030-02-09", nil},
		{"timeline-backwards", "timeline --from 2030-01-31 --to 2030-01-31", nil},
		{"timeline-odd-time", "timeline --from soon", nil},
		{"timeline-odd-limit", "timeline --limit 0", nil},
		{"namespace-list", "namespace list", namespaces},
		{"namespace-list-name", "ns ls -o name", namespaces},
		{"namespace-list-none", "namespace list", answers{"GET /namespaces": {`200 {"namespaces":[]}`}}},
		{"cluster", "cluster", servers},
		{"cluster-wide", "cluster -o wide", servers},
		{"cluster-list", "cluster list", servers},
		{"cluster-show", "cluster show one:8080", answers{"GET /servers/one:8080": {"200 " + one}}},
		{"cluster-show-none", "cluster show two:8080", answers{"GET /servers/two:8080": {`404 {"code":"not_found","detail":"there is no server \"two:8080\""}`}}},
		{"cluster-drain", "cluster drain one:8080", answers{"PUT /servers/one:8080/drain": {"200 " + one}}},
		{"cluster-drain-last", "cluster drain one:8080", answers{"PUT /servers/one:8080/drain": {`409 {"code":"conflict","detail":"no other server would work"}`}}},
		{"cluster-resume", "cluster resume one:8080", answers{"PUT /servers/one:8080/drain": {"200 " + one}}},
		{"cluster-refused", "cluster", answers{"GET /servers": refused}},
		{"settings", "settings", settings},
		{"settings-yaml", "settings -o yaml", settings},
		{"settings-refused", "settings", answers{"GET /settings": refused}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
	for _, line := range []string{"top", "dashboard", "timeline", "events", "namespace", "namespace list", "cluster", "cluster list", "cluster show", "cluster drain", "cluster resume", "settings"} {
		t.Run("help of "+line, func(t *testing.T) {
			t.Parallel()
			r := orth(t.Context(), nil, append(strings.Split(line, " "), "--help")...)
			if r.code != 0 || r.stderr != "" {
				t.Errorf("exit code %d, standard error %s", r.code, r.stderr)
			}
			compare(t, "help-"+strings.ReplaceAll(line, " ", "-"), r.stdout)
		})
	}
}
