package cli_test

import "testing"

const (
	counted = `{"from":"2030-01-29","to":"2030-01-31","days":[` +
		`{"day":"2030-01-29","runs":0,"succeeded":0,"failed":0,"timed_out":0,"cancelled":0,"lost":0,"skipped":0,"attempts":0},` +
		`{"day":"2030-01-30","runs":1440,"succeeded":1439,"failed":0,"timed_out":0,"cancelled":0,"lost":1,"skipped":0,"attempts":1450,` +
		`"success_rate":0.9993055,"mean_took":"1.2345s","max_took":"2m3.4s","mean_late":"4.4ms","max_late":"1.5s"},` +
		`{"day":"2030-01-31","runs":700,"succeeded":200,"failed":90,"timed_out":10,"cancelled":100,"lost":100,"skipped":200,"attempts":400,` +
		`"success_rate":0.5,"mean_took":"1h2m0s","max_took":"26h0m0s","mean_late":"61s","max_late":"1h0m0s"}],` +
		`"total":{"runs":2140,"succeeded":1639,"failed":90,"timed_out":10,"cancelled":100,"lost":101,"skipped":200,"attempts":1850,` +
		`"success_rate":0.8907,"mean_took":"1m0.5s","max_took":"26h0m0s","mean_late":"900ms","max_late":"1h0m0s"}}`
	nothing = `{"from":"2030-01-30","to":"2030-01-31","days":[` +
		`{"day":"2030-01-30","runs":0,"succeeded":0,"failed":0,"timed_out":0,"cancelled":0,"lost":0,"skipped":0,"attempts":0},` +
		`{"day":"2030-01-31","runs":0,"succeeded":0,"failed":0,"timed_out":0,"cancelled":0,"lost":0,"skipped":0,"attempts":0}],` +
		`"total":{"runs":0,"succeeded":0,"failed":0,"timed_out":0,"cancelled":0,"lost":0,"skipped":0,"attempts":0}}`
)

// TestStatsCommand compares what is shown and sent with golden files.
func TestStatsCommand(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	for _, c := range []struct {
		name, args string
		answers    answers
	}{
		{"stats", "stats --until 2030-01-31 --days 3", answers{"GET /stats": {"200 " + counted}}},
		{"stats-job", "stats --job report --namespace team --until 2030-01-31", answers{"GET /stats": {"200 " + counted}}},
		{"stats-json", "stats --group desk --until 2030-01-31 --days 400 -o json", answers{"GET /stats": {"200 " + nothing}}},
		{"stats-none", "stats --until 2030-01-31 --days 2", answers{"GET /stats": {"200 " + nothing}}},
		{"stats-missing", "stats --group nobody --until 2030-01-31", answers{"GET /stats": {`404 {"code":"not_found","detail":"group nobody does not exist"}`}}},
		{"stats-warnings", "stats --until 2030-01-31 --days 2", answers{
			"GET /stats": {"200 " + nothing}, "GET /warnings": {`200 {"warnings":["the well-known token default_token is admitted: 2 executors do so now","\u001b[2Jodd"]}`},
		}},
		{"stats-warnings-away", "stats --until 2030-01-31 --days 2", answers{
			"GET /stats": {"200 " + nothing}, "GET /warnings": {`503 {"code":"unavailable","detail":"the database is away"}`},
		}},
		{"stats-wrong-days", "stats --days 401", nil},
		{"stats-wrong-until", "stats --until yesterday", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
	t.Run("help", func(t *testing.T) {
		t.Parallel()
		r := orth(t.Context(), nil, "stats", "--help")
		if r.code != 0 || r.stderr != "" {
			t.Errorf("exit code %d, standard error %s", r.code, r.stderr)
		}
		compare(t, "help-stats", r.stdout)
	})
}
