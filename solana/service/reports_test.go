package service

import (
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/thread"
)

// TestReportRecord: what is in ledgers by now is read by all versions that follow.
func TestReportRecord(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_800_000_000_123).UTC()
	want := Settlement{
		Task: 17, Thread: thread.Key{1}, ExecCount: 3, Trigger: thread.OnCron, Outcome: Executed, Class: failure.Transient, Reason: "HTTP status 503",
		Signature: solana.Signature{1}, Slot: 9, Stages: Stages{Due: at, Queued: at, Begun: at, Built: at, Recorded: at, Sent: at, Confirmed: at}, Tries: 1,
		Fibers: 2, Units: 20_000, Price: 5, Fee: 5000, Before: 1_000_000, After: 1_000_888, Expected: 888, Path: "both", Requests: 4,
		Logs: []string{"Program log: paid"}, Recovered: true,
	}
	text := "\x01" + `{"Task":17,"Thread":"` + want.Thread.String() + `","ExecCount":3,"Trigger":4,"Outcome":"executed",` +
		`"Class":"transient","Reason":"HTTP status 503",` +
		`"Signature":"` + want.Signature.String() + `","Slot":9,` +
		`"Stages":{"Due":"2027-01-15T08:00:00.123Z","Queued":"2027-01-15T08:00:00.123Z","Begun":"2027-01-15T08:00:00.123Z","Built":"2027-01-15T08:00:00.123Z",` +
		`"Recorded":"2027-01-15T08:00:00.123Z","Sent":"2027-01-15T08:00:00.123Z","Confirmed":"2027-01-15T08:00:00.123Z"},"Tries":1,"Fibers":2,"Units":20000,` +
		`"Price":5,"Fee":5000,"Before":1000000,"After":1000888,"Expected":888,"Path":"both","Requests":4,"Logs":["Program log: paid"],"Recovered":true}`
	wrote, err := want.Record()
	if diff := cmp.Diff(text, string(wrote)); diff != "" || err != nil {
		t.Errorf("the record (-want +got), %v:\n%s", err, diff)
	}
	var got Settlement
	if err := decodeReport([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "\x02{}", "\x01{"} {
		if err := decodeReport([]byte(bad), &got); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}
