package message

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/schedule"
)

func TestFromError(t *testing.T) {
	t.Parallel()
	plain := errors.New("it broke")
	because := Errorf("route-unknown", "its route, %.4q, is unknown", "NEAREST")
	coded := Wrap(plain, "group-name", "x y")
	for _, c := range []struct {
		err  error
		want Message
	}{
		{plain, Message{"left-out", []string{"it broke"}, "it is left out: it broke"}},
		{because, Message{"route-unknown", []string{`"NEAR"`}, `it is left out: its route, "NEAR", is unknown`}},
		{fmt.Errorf("job 7: %w", because), Message{"route-unknown", []string{`"NEAR"`}, `it is left out: job 7: its route, "NEAR", is unknown`}},
		{coded, Message{"group-name", []string{"x y"}, "it is left out: it broke"}},
	} {
		if diff := cmp.Diff(c.want, FromError("left-out", "it is left out", c.err)); diff != "" {
			t.Error(diff)
		}
	}
	if !errors.Is(coded, plain) {
		t.Error("Wrap lost the error")
	}
	if Wrap(nil, "x") != nil {
		t.Error("Wrap(nil) returned an error")
	}
}

func TestWrapSchedule(t *testing.T) {
	t.Parallel()
	at := func(cron, zone string) schedule.Spec {
		return schedule.Spec{Kind: schedule.KindCron, Cron: cron, Zone: zone}
	}
	var seen []string
	for _, c := range []struct {
		spec schedule.Spec
		code string
		args []string
	}{
		{at("61 * * * * ?", ""), "cron-second", []string{"61 * * * * ?", "1"}},
		{at("0 x * * * ?", ""), "cron-minute", []string{"0 x * * * ?", "3"}},
		{at("0 0 24 * * ?", ""), "cron-hour", []string{"0 0 24 * * ?", "5"}},
		{at("0 0 0 32 * ?", ""), "cron-day-of-month", []string{"0 0 0 32 * ?", "7"}},
		{at("0 0 0 1 13 ?", ""), "cron-month", []string{"0 0 0 1 13 ?", "9"}},
		{at("0 0 0 ? * 9", ""), "cron-day-of-week", []string{"0 0 0 ? * 9", "11"}},
		{at("0 0 0 1 1 ? x", ""), "cron-year", []string{"0 0 0 1 1 ? x", "13"}},
		{at(strings.Repeat("*", schedule.MaxExpression+1), ""), "cron-long", []string{strconv.Itoa(schedule.MaxExpression)}},
		{at("0 0", ""), "cron-shape", []string{"0 0", "4"}},
		{at("0 0 0 31 2 ?", ""), "cron-never", []string{"0 0 0 31 2 ?"}},
		{at("0 0 0 * * ?", "Nowhere/None"), "zone-unknown", []string{"Nowhere/None"}},
	} {
		err := c.spec.Validate()
		got := FromError("left-out", "it is left out", WrapSchedule(err, &c.spec))
		if want := (Message{c.code, c.args, "it is left out: " + err.Error()}); !cmp.Equal(got, want) {
			t.Errorf("%s: %s", c.spec.Cron, cmp.Diff(want, got))
		}
		seen = append(seen, got.Code)
	}
	slices.Sort(seen)
	if diff := cmp.Diff(ScheduleCodes(), seen); diff != "" {
		t.Error(diff)
	}
	for _, err := range []error{errors.New("x"), schedule.Spec{Kind: "odd"}.Validate()} {
		if got := WrapSchedule(err, &schedule.Spec{}); got != err { //nolint:errorlint // the identical error is expected
			t.Errorf("%v became %v", err, got)
		}
	}
}
