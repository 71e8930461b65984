package job

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var asked = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// answer is what an executor says at some seconds after the first call.
type answer struct {
	at  int
	err error
}

func TestStopIsToldUntilItIsOver(t *testing.T) {
	t.Parallel()
	away, absent := Errorf(Unreachable, "connection refused"), Errorf(NotFound, "it has nothing")
	tests := []struct {
		name    string
		alone   bool
		answers []answer
		looks   []int // after each answer: when somebody looks again
		over    int   // the first second at which nothing more is awaited, -1 for never
		note    string
		message string
	}{
		{
			"one of ours is told again, ever less often", true,
			[]answer{{0, nil}, {5, nil}, {15, nil}, {30, nil}},
			[]int{5, 15, 30, 45},
			60, "was told to end it; its report is awaited", "has not reported the end",
		},
		{
			"another make is told once", false,
			[]answer{{0, nil}},
			[]int{60},
			60,
			"was told to end it; its report is awaited", "has not reported the end",
		},
		{
			"one of ours that does not have it is asked twice", true,
			[]answer{{0, absent}, {10, absent}},
			[]int{10, 10},
			10,
			"does not have it", "does not have it",
		},
		{
			"another make that has nothing of the job", false,
			[]answer{{0, absent}},
			[]int{60},
			60,
			"does not have it", "has not reported the end",
		},
		{
			"it comes a little later than the word", true,
			[]answer{{0, absent}, {10, nil}},
			[]int{10, 20},
			60,
			"its report is awaited", "has not reported the end",
		},
		{
			"it cannot be told", true,
			[]answer{{0, away}, {5, away}, {15, away}, {30, away}, {45, away}, {60, away}},
			[]int{5, 15, 30, 45, 60, 75},
			-1, "could not be told to end it: connection refused", "",
		},
		{
			"it can be told at last", false,
			[]answer{{0, away}, {5, away}, {15, nil}},
			[]int{5, 15, 75},
			75,
			"its report is awaited", "has not reported the end",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := NewStop(7, 70, asked)
			if want := asked.Add(stopFirst); !s.LookAt.Equal(want) || !s.Tell(test.alone) {
				t.Errorf("a new one is looked at %s", s.LookAt)
			}
			var note string
			for i, a := range test.answers {
				now := asked.Add(time.Duration(a.at) * time.Second)
				s, note = s.Called("http://x", a.err, test.alone, now)
				if want := asked.Add(time.Duration(test.looks[i]) * time.Second); !s.LookAt.Equal(want) {
					t.Errorf("after the answer at %d s it is looked at after %s, want %s", a.at, s.LookAt.Sub(asked), want.Sub(asked))
				}
			}
			if !strings.Contains(note, "executor http://x") || !strings.Contains(note, test.note) {
				t.Errorf("the note is %q", note)
			}
			if told := !s.ToldAt.IsZero(); s.Tell(test.alone) != (test.alone || !told) {
				t.Error("another make is told again after it took notice")
			}
			over, message := -1, ""
			for second := range 1000 {
				if text, is := s.Over("http://x", test.alone, asked.Add(time.Duration(second)*time.Second)); is {
					over, message = second, text
					break
				}
			}
			if over != test.over || !strings.Contains(message, test.message) {
				t.Errorf("it is over after %d s with %q, want %d s", over, message, test.over)
			}
		})
	}
}

// Whatever an executor answers: somebody looks again within a minute and the stop
// is over at most a minute after the executor took notice.
func TestStopIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, now, alone := NewStop(7, 70, asked), asked, rapid.Bool().Draw(t, "alone")
		answers := rapid.SliceOf(rapid.SampledFrom([]error{nil, Errorf(NotFound, "nothing"), Errorf(Unreachable, "away")}))
		for i, err := range answers.Draw(t, "answers") {
			before := s
			s, _ = s.Called("http://x", err, alone, now)
			if s.LookAt.After(now.Add(StopWait)) || s.Calls != i+1 || s.RunID != 7 || s.AttemptID != 70 || !s.AskedAt.Equal(asked) {
				t.Fatalf("after %v: %+v", err, s)
			}
			if !before.ToldAt.IsZero() && !s.ToldAt.Equal(before.ToldAt) {
				t.Fatalf("it was told at %s, and now at %s", before.ToldAt, s.ToldAt)
			}
			if now = s.LookAt; now.Before(asked) {
				t.Fatalf("it is looked at %s", now)
			}
			if _, over := s.Over("http://x", alone, now); !over && !s.ToldAt.IsZero() && now.Sub(s.ToldAt) >= StopWait {
				t.Fatalf("it goes on after %s", now.Sub(s.ToldAt))
			} else if over {
				return
			}
		}
	})
}

func TestBesideReason(t *testing.T) {
	t.Parallel()
	want := "run 7 of the same job is being ended on executor http://x, which ends all that it has of the job, this run too"
	if diff := cmp.Diff(want, BesideReason(7, "http://x")); diff != "" {
		t.Error(diff)
	}
}
