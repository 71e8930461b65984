package secrets_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/redact"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/secrets"
	"github.com/orthd/orth/job"
)

func jobOf(param string) *job.Job {
	return &job.Job{ID: 7, Namespace: job.DefaultNamespace, Key: "report", Group: "billing", Param: param}
}

func TestCheckJob(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.set("api", "correct-horse")
	r.set("narrow", "battery-staple", "other")
	labelled := jobOf("")
	labelled.Labels = map[string]string{"token": "${secret:none}"}
	elsewhere := jobOf("${secret:api}")
	elsewhere.Namespace = "else"
	for _, test := range []struct {
		j, was      *job.Job
		field, want string // empty: it may
	}{
		{jobOf("plain"), nil, "", ""},
		{jobOf("${secret:api} and $${secret:none}"), nil, "", ""},
		{jobOf(`{"secrets":["PW"],"url":"${secret:PW}"}`), nil, "", ""},
		{jobOf("${secret:none}"), nil, "param", "secret none does not exist in namespace default"},
		{jobOf("${secret:narrow}"), nil, "param", "not for jobs of group billing"},
		{jobOf("${secret:PW}"), nil, "param", "is no reference"},
		{labelled, nil, "labels.token", "secret none does not exist"},
		{elsewhere, nil, "param", "does not exist in namespace else"},
		{jobOf("new ${secret:none}"), jobOf("old ${secret:none}"), "", ""},
		{jobOf("${secret:none} ${secret:narrow}"), jobOf("${secret:none}"), "param", "secret narrow"},
		{jobOf("${secret:narrow}"), &job.Job{Namespace: "default", Group: "other", Param: "${secret:narrow}"}, "param", "not for jobs of group billing"},
	} {
		err := r.CheckJob(r.ctx, test.j, test.was)
		if test.want == "" {
			if err != nil {
				t.Errorf("%s: %v", test.j.Param, err)
			}
			continue
		}
		r.refused(err, job.Invalid, test.field+": ")
		r.refused(err, job.Invalid, test.want)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.set("pw", "p@ss \"word\"\nline 2")
	r.set("key", "correct-horse")
	r.set("narrow", "battery-staple", "other")
	r.set("big", strings.Repeat("0123456789", 6000))
	r.set("lines", "first line\nsecond line")
	for _, test := range []struct{ param, want, wrong string }{
		{"plain", "plain", ""},
		{"a ${secret:key} b ${secret:key}", "a correct-horse b correct-horse", ""},
		{"$${secret:key} ${secret:key}", "${secret:key} correct-horse", ""},
		{`{"a":"${secret:pw}"}`, `{"a":"p@ss \"word\"\nline 2"}`, ""},
		{"https://u:${secret:pw|url}@h/", "https://u:p%40ss%20%22word%22%0Aline%202@h/", ""},
		{"not { JSON ${secret:pw}", "not { JSON p@ss \"word\"\nline 2", ""},
		{`{"url":"${secret:key}","secrets":["key"]}`, `{"url":"${secret:key}","secrets":["key"]}`, ""},
		{"${secret:none}", "", "put secrets into the parameter: secret none does not exist in namespace default"},
		{"${secret:narrow}", "", "not for jobs of group billing"},
		{"${secret:key|rot13}", "", "is no reference"},
		{"${secret:big} ${secret:big}", "", "it has more than 65536 bytes with the values of secrets in it"},
		{"${secret:big}" + strings.Repeat(" ", 6000), "", "it has 66000 bytes with them, at most 65536"},
	} {
		j := jobOf(test.param)
		got, err := r.Resolve(r.ctx, j, job.Task{JobID: 7, Param: j.Param})
		if test.wrong != "" {
			r.refused(err, job.Invalid, test.wrong)
			continue
		}
		if err != nil || got.Param != test.want || got.JobID != 7 || j.Param != test.param {
			t.Errorf("%s became %q, %v", test.param, got.Param, err)
		}
	}
	j := jobOf("")
	j.Labels = map[string]string{"token": "Bearer ${secret:key}", "plain": "x"}
	got, err := r.Resolve(r.ctx, j, job.Task{Labels: j.Labels})
	if want := map[string]string{"token": "Bearer correct-horse", "plain": "x"}; err != nil || !maps.Equal(got.Labels, want) || j.Labels["token"] != "Bearer ${secret:key}" {
		t.Errorf("labels %v of %v, %v", got.Labels, j.Labels, err)
	}
	for _, key := range []string{"lines", "big"} {
		j.Labels = map[string]string{"token": "${secret:" + key + "}"}
		_, err = r.Resolve(r.ctx, j, job.Task{Labels: j.Labels})
		r.refused(err, job.Invalid, "label")
	}
}

// Neither the user who starts a run nor the result of another run gets a secret by it.
func TestParameterOfARunNamesNoSecret(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.set("key", "correct-horse")
	j := jobOf("mine: ${secret:key}")
	_, err := r.Resolve(r.ctx, j, job.Task{Param: "https://evil/?${secret:key}"})
	r.refused(err, job.Invalid, "of this run alone")
	got, err := r.Resolve(r.ctx, j, job.Task{Param: "text $${secret:key}"})
	if err != nil || got.Param != "text ${secret:key}" {
		t.Errorf("became %q, %v", got.Param, err)
	}
}

// The next run gets the value that is good then.
func TestRotation(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.set("key", "correct-horse")
	j := jobOf("${secret:key}")
	value := redacted.New("battery-staple")
	_, err := r.Update(r.ctx, s.Namespace, s.Key, secrets.Change{Value: &value})
	r.ok(err)
	got, err := r.Resolve(r.ctx, j, job.Task{Param: j.Param})
	if err != nil || got.Param != "battery-staple" {
		t.Errorf("became %q, %v", got.Param, err)
	}
	r.ok(r.Delete(r.ctx, s.Namespace, s.Key, true))
	_, err = r.Resolve(r.ctx, j, job.Task{Param: j.Param})
	r.refused(err, job.Invalid, "does not exist")
}

// A value that was put in the place of another one, or sealed elsewhere, does not open.
func TestForeignValue(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.set("one", "correct-horse")
	r.set("two", "battery-staple")
	r.shelf.values[0].Sealed, r.shelf.version = r.shelf.values[1].Sealed, 99
	j := jobOf("${secret:one}")
	_, err := r.Resolve(r.ctx, j, job.Task{Param: j.Param})
	if err == nil {
		t.Fatal("it opened")
	}
	r.refused(err, job.Invalid, "has to be set again")
}

func TestRunNotesUse(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := r.set("key", "correct-horse")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := r.synced(t)
		j := jobOf("${secret:key}")
		if _, err := r.Resolve(ctx, j, job.Task{Param: j.Param}); err != nil {
			t.Fatal(err)
		}
		used := time.Now().Truncate(time.Minute)
		r.shelf.fail(job.Errorf(job.Unavailable, "away"))
		time.Sleep(61 * time.Second)
		r.shelf.fail(nil)
		time.Sleep(60 * time.Second) // it is tried again
		if got := r.shelf.lastUsed(s.ID); !got.Equal(used) {
			t.Errorf("used at %s, want %s", got, used)
		}
		if _, err := r.Resolve(ctx, j, job.Task{Param: j.Param}); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Truncate(time.Minute)
		stop()
		if got := r.shelf.lastUsed(s.ID); !got.Equal(later) {
			t.Errorf("at the stop: used at %s, want %s", got, later)
		}
	})
}

// What another server has changed is hidden here soon, and what is old is forgotten.
func TestRunLooks(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.set("key", "correct-horse")
	other := newRig(t)
	synctest.Test(t, func(t *testing.T) {
		_, stop := r.synced(t)
		r.hidden = nil
		r.shelf.mu.Lock()
		r.shelf.version++
		r.shelf.mu.Unlock()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if !slices.Contains(r.hidden, "correct-horse") {
			t.Errorf("hidden are %q", r.hidden)
		}
		began := time.Now()
		time.Sleep(time.Hour)
		stop()
		if want := began.Add(-secrets.KeepPast); r.shelf.dropped.Before(want) {
			t.Errorf("what is from before %s was forgotten, want %s or later", r.shelf.dropped, want)
		}
	})
	if len(other.hidden) != 0 {
		t.Errorf("an empty book hides %q", other.hidden)
	}
}

// All forms in which a value may come back are hidden in the log of a run.
func TestValuesAreHidden(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 600) + "tail"
	for _, value := range []string{
		"correct-horse", "p@ss w/ \"quotes\" & <tags>", "key-with-+and%", long, "  padded value  ",
		"-----BEGIN THING-----\nMIIBVAIBADANBgkqhki\nG9w0BAQEFAASCAT4wgg\n-----END THING-----\n",
	} {
		r := newRig(t)
		r.set("key", value)
		m, err := redact.New(redact.Config{NoDefaults: true, Literals: r.hidden})
		r.ok(err)
		text, err := json.Marshal(value)
		r.ok(err)
		for _, shown := range []string{value, "x " + value + " y", string(text), "https://h/?q=" + job.EscapeURL(value) + "&z"} {
			masked := m.Text(shown)
			for line := range strings.Lines(value) {
				if line = strings.TrimSpace(line); len(line) >= job.MinSecret && strings.Contains(masked, line[:job.MinSecret]) {
					t.Errorf("%.60q is shown as %.60q", shown, masked)
				}
			}
		}
	}
}

// Whatever the value, a JSON parameter stays JSON, with the value in it.
func TestJSONStaysJSON(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	rapid.Check(t, func(rt *rapid.T) {
		value := rapid.String().Draw(rt, "value") + "-padding"
		if job.CheckSecretValue("value", value) != nil {
			rt.Skip()
		}
		shut := redacted.New(value)
		if _, err := r.Update(r.ctx, "default", "key", secrets.Change{Value: &shut}); job.Is(err, job.NotFound) {
			r.set("key", value)
		} else if err != nil {
			rt.Fatal(err)
		}
		j := jobOf(`{"headers":{"X":"a ${secret:key} b"},"list":["${secret:key}"]}`)
		task, err := r.Resolve(r.ctx, j, job.Task{Param: j.Param})
		if err != nil {
			rt.Fatal(err)
		}
		var got struct {
			Headers map[string]string
			List    []string
		}
		if err := json.Unmarshal([]byte(task.Param), &got); err != nil || got.Headers["X"] != "a "+value+" b" || got.List[0] != value {
			rt.Fatalf("%q became %q: %v", value, task.Param, err)
		}
	})
}
