package app

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/redacted"
)

// fields calls take for each field of a configuration, with its path.
func fields(v reflect.Value, path string, take func(path string, v reflect.Value)) {
	for i := range v.NumField() {
		name, field := path+v.Type().Field(i).Name, v.Field(i)
		if _, is := reflect.TypeAssert[redacted.Text](field); !is && field.Kind() == reflect.Struct {
			fields(field, name+".", take)
			continue
		}
		take(name, field)
	}
}

// Each field of the configuration is shown in one setting of its own, and none of a
// secret tells what it is.
func TestSettingsAreWhole(t *testing.T) {
	t.Parallel()
	const distinct = "something-of-its-own"
	none := []string{"FirstUser", "Version", "Logger", "Sources", "SettingsFile", "Imports", "Guesses.AtOnce", "Guesses.Every"} // no settings
	var empty Config
	before := empty.settings()
	if !slices.IsSortedFunc(before, func(a, b api.Setting) int { return strings.Compare(a.Name, b.Name) }) {
		t.Error("settings are not in order of name")
	}
	seen := map[string]string{}
	var c Config
	fields(reflect.ValueOf(&c).Elem(), "", func(path string, v reflect.Value) {
		if slices.Contains(none, path) {
			return
		}
		want := distinct
		switch old := v.Interface().(type) {
		case redacted.Text:
			v.Set(reflect.ValueOf(redacted.New(distinct)))
			want = hiddenSecret
		case time.Duration:
			v.SetInt(int64(7 * time.Second))
			want = "7s"
		case []string:
			v.Set(reflect.ValueOf([]string{distinct, "b"}))
			want = distinct + ",b"
		case bool:
			v.SetBool(!old)
			want = ""
		case int, int64:
			v.SetInt(77)
			want = "77"
		case float64:
			v.SetFloat(0.25)
			want = "0.25"
		default:
			if v.Kind() != reflect.String {
				t.Fatalf("%s is a %s: say here and in settings how it is shown", path, v.Kind())
			}
			v.SetString(distinct)
		}
		changed := 0
		for i, s := range c.settings() {
			if s == before[i] {
				continue
			}
			changed++
			if seen[s.Name] != "" || want != "" && s.Value != want || s.Secret != (want == hiddenSecret) {
				t.Errorf("%s is shown as %+v, want %q; %s is too", path, s, want, seen[s.Name])
			}
			seen[s.Name] = path
		}
		if changed != 1 {
			t.Errorf("%s is shown in %d settings, want 1: a field of Config has its line there", path, changed)
		}
		v.SetZero()
	})
	if len(seen) != len(before) {
		t.Errorf("%d of %d settings are of a field", len(seen), len(before))
	}
}

// Each setting tells where it came from; the file is that of those alone that came from it.
func TestSettingsTellTheirSources(t *testing.T) {
	t.Parallel()
	c := Config{SettingsFile: "/etc/orth.yaml", Sources: map[string]api.Source{
		"data": api.FromFlag, "listen": api.FromEnvironment, "lease-ttl": api.FromFile,
		"executor-token-file": api.FromFile, "executor-token": api.FromEnvironment, "api-token-file": api.FromFlag, "log-s3-secret-key": api.FromEnvironment,
	}}
	want := map[string]string{
		"data": "flag", "listen": "environment", "lease-ttl": "file /etc/orth.yaml", "executor-token": "file /etc/orth.yaml",
		"api-token": "flag", "api-token-file": "flag", "log-s3-secret-key": "environment",
	}
	for _, s := range c.settings() {
		if got := strings.TrimSpace(string(s.Source) + " " + s.File); got != cmp.Or(want[s.Name], "default") {
			t.Errorf("%s came from %q, want %q", s.Name, got, cmp.Or(want[s.Name], "default"))
		}
		delete(want, s.Name)
	}
	if len(want) > 0 {
		t.Errorf("no settings: %v", want)
	}
}

func TestPlainURL(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "", "https://a.example/b": "https://a.example/b", "https://u:secret@a.example/b": "https://***@a.example/b",
		"https://a.example/b?key=secret": "https://a.example/b?***", "https://a.example/%zz?secret": hiddenSecret,
		"https://secret@a.example?x=secret#secret": "https://***@a.example?***",
	} {
		if got := plainURL(given); got != want {
			t.Errorf("plainURL(%q): %q, want %q", given, got, want)
		}
	}
}

// A server tells about itself, and none of its secrets.
func TestInventory(t *testing.T) {
	t.Parallel()
	s := beginWith(t, Config{
		Data: t.TempDir(), Listen: "127.0.0.1:0", Version: "1.2.3",
		Sources: map[string]api.Source{"lease-ttl": api.FromFile, "data": api.FromFlag}, SettingsFile: "server.yaml",
	})
	until(t, "the server is ready", func() bool { status, _ := ask(t, s, "/readyz", "", ""); return status == http.StatusOK })
	get := func(path string, to any) string {
		t.Helper()
		status, text := ask(t, s, "/api/v1"+path, s.config.APIToken.Reveal(), "")
		if err := json.Unmarshal([]byte(text), to); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s, %v", path, status, text, err)
		}
		return text
	}
	var servers api.ServerList
	get("/servers", &servers)
	if len(servers.Servers) != 1 {
		t.Fatalf("servers: %+v", servers)
	}
	one := servers.Servers[0]
	_, port, _ := strings.Cut(one.Listen, ":")
	if one.Version != "1.2.3" || one.Scheme != "http" || one.DatabaseBytes == 0 || one.StartedAt.IsZero() || !one.Ready ||
		!strings.HasSuffix(one.Name, ":"+port) || len(one.Loops) != 1 || one.Loops[0].TurnedAt.Before(one.StartedAt.Time) {
		t.Errorf("server: %+v", one)
	}
	s.ready.stopping.Store(true) // no loop takes it back
	get("/servers", &servers)
	if one := servers.Servers[0]; one.Ready || !slices.ContainsFunc(one.Reasons, func(r api.Unready) bool { return r.Code == "stopping" }) {
		t.Errorf("a server that does not work: %+v", one)
	}
	s.ready.stopping.Store(false)

	var settings api.SettingList
	text := get("/settings", &settings)
	for _, known := range []redacted.Text{s.config.APIToken, s.config.ExecutorToken} {
		if strings.Contains(text, known.Reveal()) {
			t.Error("the settings tell a secret")
		}
	}
	if !slices.Contains(settings.Settings, api.Setting{Name: "api-token", Value: hiddenSecret, Secret: true, Source: api.FromDefault}) ||
		!slices.Contains(settings.Settings, api.Setting{Name: "lease-ttl", Value: "1m30s", Source: api.FromFile, File: "server.yaml"}) {
		t.Errorf("settings: %s", text)
	}
	var summary api.Summary
	get("/summary", &summary)
	if summary.At.IsZero() || summary.Jobs.Total != 0 || summary.Today.Day == "" {
		t.Errorf("summary: %+v", summary)
	}
	var namespaces api.NamespaceList
	if text := get("/namespaces", &namespaces); len(namespaces.Namespaces) != 0 {
		t.Errorf("namespaces: %s", text)
	}
}
