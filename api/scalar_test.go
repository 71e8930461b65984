package api_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/api"
)

func TestScalarsInJSON(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		value any
		want  string
	}{
		{"id", api.ID(42), `"42"`},
		{"the largest id", api.ID(math.MaxInt64), `"9223372036854775807"`},
		{"duration", api.Duration(90 * time.Second), `"1m30s"`},
		{"no duration", api.Duration(0), `"0s"`},
		{"instant with milliseconds", api.At(time.UnixMilli(1_700_000_000_120)), `"2023-11-14T22:13:20.120Z"`},
		{"whole second", api.At(time.Unix(1_700_000_000, 0)), `"2023-11-14T22:13:20.000Z"`},
		{"another zone", api.At(time.Date(2030, 1, 31, 8, 0, 0, 0, time.FixedZone("", 8*3600))), `"2030-01-31T00:00:00.000Z"`},
		{"zero fields are left out", struct {
			ID api.ID       `json:"id,omitzero"`
			D  api.Duration `json:"d,omitzero"`
			T  api.Time     `json:"t,omitzero"`
		}{}, `{}`},
	} {
		got, err := json.Marshal(c.value)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v; want %s", c.name, got, err, c.want)
		}
	}
}

func TestScalarsRefuseOtherTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		into any
		text string
		want string // part of the error
	}{
		{new(api.ID), `"-1"`, "is no id"},
		{new(api.ID), `"1.5"`, "is no id"},
		{new(api.ID), `"9223372036854775808"`, "is no id"},
		{new(api.ID), `""`, "is no id"},
		{new(api.Duration), `"5"`, "is no duration"},
		{new(api.Duration), `"soon"`, "is no duration"},
		{new(api.Time), `"2030-01-31"`, "is no instant"},
		{new(api.Time), `"2030-01-31T08:00:00"`, "is no instant"},
		{new(api.Time), `17`, "must be a text"},
	} {
		if err := json.Unmarshal([]byte(c.text), c.into); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T from %s: got the error %v, want one with %q", c.into, c.text, err, c.want)
		}
	}
}

func TestTimeReads(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Time{
		`"2030-01-31T08:00:00+08:00"`:   time.Date(2030, 1, 31, 0, 0, 0, 0, time.UTC),
		`"2030-01-31T08:00:00.1239Z"`:   time.Date(2030, 1, 31, 8, 0, 0, 123e6, time.UTC),
		`"2030-01-31T08:00:00.5+00:00"`: time.Date(2030, 1, 31, 8, 0, 0, 500e6, time.UTC),
		`null`:                          {},
	} {
		var got api.Time
		if err := json.Unmarshal([]byte(text), &got); err != nil || !got.Time.Equal(want) {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestScalarsComeBack(t *testing.T) {
	t.Parallel()
	type all struct {
		ID api.ID
		D  api.Duration
		T  api.Time
	}
	rapid.Check(t, func(t *rapid.T) {
		want := all{
			ID: api.ID(rapid.Int64Min(0).Draw(t, "id")),
			D:  api.Duration(rapid.Int64().Draw(t, "duration")),
			T:  api.At(time.UnixMilli(rapid.Int64Range(-62135596800000, 253402300799999).Draw(t, "ms"))),
		}
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got all
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got.ID != want.ID || got.D != want.D || !got.T.Equal(want.T.Time) {
			t.Fatalf("%s became %+v, want %+v", text, got, want)
		}
	})
}

func FuzzTime(f *testing.F) {
	f.Add(`"2030-01-31T08:00:00Z"`)
	f.Add(`null`)
	f.Add(`"`)
	f.Fuzz(func(t *testing.T, text string) {
		var first, second api.Time
		if first.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		if y := first.Year(); y < 0 || y > 9999 {
			return
		}
		again, err := first.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if err := second.UnmarshalJSON(again); err != nil || !second.Equal(first.Time) {
			t.Fatalf("%s became %s, then %v (%v)", text, again, second, err)
		}
	})
}
