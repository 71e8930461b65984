package sim

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
)

// leftovers are rows that must not be there when everything is over, each as a query that
// finds them.
var leftovers = map[string]string{
	"blocked":               `SELECT b.run_id || ' of job ' || b.job_id FROM blocked b`,
	"stops":                 `SELECT s.run_id || ' since ' || s.asked_at FROM stops s JOIN runs r ON r.id = s.run_id WHERE s.look_at < %d`,
	"deadlines":             `SELECT run_id FROM deadlines WHERE ends_at < %d`,
	"claims":                `SELECT id || ' ready at ' || ready_at FROM runs WHERE ready_at IS NOT NULL`,
	"open attempts":         `SELECT id || ' on ' || open_on FROM runs WHERE open_on IS NOT NULL`,
	"attempts to look at":   `SELECT id || ' at ' || check_at FROM runs WHERE check_at IS NOT NULL`,
	"attempts kept twice":   `SELECT r.id || ', attempt ' || a.id FROM attempts a JOIN runs r ON r.attempt_id = a.id WHERE r.triggered_at IS NOT NULL`,
	"attempts kept nowhere": `SELECT r.id || ', attempt ' || r.attempt_id FROM runs r LEFT JOIN attempts a ON a.id = r.attempt_id WHERE r.tries > 0 AND r.triggered_at IS NULL AND a.id IS NULL`,
	"lost attempts":         `SELECT r.id || ' tried ' || r.tries FROM runs r LEFT JOIN attempts a ON a.run_id = r.id GROUP BY r.id HAVING COUNT(a.id) + MAX(r.triggered_at IS NOT NULL) <> MAX(r.tries)`,
	"ids of two runs":       `SELECT a.run_id || ', attempt ' || a.id FROM attempts a JOIN runs r ON r.id = a.id WHERE r.id <> a.run_id UNION ALL SELECT r.id || ', attempt ' || r.attempt_id FROM runs r JOIN runs o ON o.id = r.attempt_id WHERE o.id <> r.id`,
	"awaited runs":          `SELECT job_id || ' awaits ' || awaits FROM job_plans WHERE awaits <> 0`,
	"broadcasts":            `SELECT b.run_id FROM broadcasts b JOIN runs r ON r.id = b.run_id WHERE r.state IN ('succeeded','failed','lost','cancelled','timed_out','skipped') AND b.look_at IS NOT NULL`,
	"running backfills":     `SELECT id FROM backfills WHERE look_at IS NOT NULL`,
	"letters without runs":  `SELECT d.run_id FROM dead_letters d LEFT JOIN runs r ON r.id = d.run_id WHERE r.id IS NULL`,
	"runs without jobs":     `SELECT r.id FROM runs r LEFT JOIN jobs j ON j.id = r.job_id WHERE j.id IS NULL`,
	"attempts without runs": `SELECT a.id FROM attempts a LEFT JOIN runs r ON r.id = a.run_id WHERE r.id IS NULL`,
}

// linger is how long rows may stay that are removed when they are next looked at.
const linger = 20 * time.Second

// rows judges that nothing is left over in the database.
func (j *judge) rows() {
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(j.w.folder, database))+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		j.w.t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for what, query := range leftovers {
		if strings.Contains(query, "%d") {
			query = fmt.Sprintf(query, time.Now().Add(-linger).UnixMilli())
		}
		j.leftover(db, what, query)
	}
}

// leftover judges that a query finds nothing.
func (j *judge) leftover(db *sql.DB, what, query string) {
	rows, err := db.QueryContext(context.Background(), query)
	if err != nil {
		j.w.t.Fatalf("look for left-over %s: %v", what, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row string
		if err := rows.Scan(&row); err != nil {
			j.w.t.Fatal(err)
		}
		j.fault("I11: left over in %s: run %s", what, row)
	}
	if err := rows.Err(); err != nil {
		j.w.t.Fatal(err)
	}
}

// counters judges that what was counted of each job is what its runs became.
func (j *judge) counters(byJob map[int64][]job.Run) {
	now := time.Now()
	for id, made := range j.w.jobs {
		counted, err := j.w.store.Stats(context.Background(), queries.StatsFilter{
			Sight: access.Sight{All: true}, JobID: id, From: now.Add(-24 * time.Hour), To: now.Add(24 * time.Hour),
		})
		if err != nil {
			j.w.t.Fatalf("read what was counted of job %s: %v", made.Key, err)
		}
		var got, want job.Stats
		for _, day := range counted {
			got.Add(day)
		}
		for _, r := range byJob[id] {
			if r.Cause != job.CauseShard {
				want.Count(r.State, 1)
			}
		}
		same := got.Succeeded == want.Succeeded && got.Failed == want.Failed && got.TimedOut == want.TimedOut &&
			got.Cancelled == want.Cancelled && got.Lost == want.Lost && got.Skipped == want.Skipped
		if !same {
			j.fault("I11: of job %s are counted %d succeeded, %d failed, %d timed out, %d cancelled, %d lost, %d skipped; there were %d, %d, %d, %d, %d, %d",
				made.Key, got.Succeeded, got.Failed, got.TimedOut, got.Cancelled, got.Lost, got.Skipped,
				want.Succeeded, want.Failed, want.TimedOut, want.Cancelled, want.Lost, want.Skipped)
		}
	}
}
