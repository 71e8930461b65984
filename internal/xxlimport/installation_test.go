package xxlimport_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
)

// bean is a row of a job that can be taken over, with some columns changed.
func bean(id string, changed xxlimport.Row) xxlimport.Row {
	r := xxlimport.Row{
		"id": id, "job_group": "1", "job_desc": "Job " + id, "schedule_type": "NONE", "misfire_strategy": "DO_NOTHING", "executor_route_strategy": "FIRST",
		"executor_handler": "h", "executor_block_strategy": "SERIAL_EXECUTION", "executor_timeout": "0", "executor_fail_retry_count": "0",
		"glue_type": "BEAN", "child_jobid": "", "trigger_status": "0",
	}
	maps.Copy(r, changed)
	return r
}

func installation(jobs ...xxlimport.Row) *xxlimport.Installation {
	return &xxlimport.Installation{
		Prefix: "xxl_job_", Columns: map[string][]string{xxlimport.TableJobs: {"schedule_type"}, xxlimport.TableUsers: {"token"}},
		Groups: []xxlimport.Row{{"id": "1", "app_name": "etl", "title": "数据"}}, Jobs: jobs,
	}
}

func turn(t *testing.T, i *xxlimport.Installation, o xxlimport.InstallationOptions) (xxlimport.Migration, string) {
	t.Helper()
	o.Namespace = "default"
	m, err := i.Turn(o)
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	for _, n := range m.Notes {
		notes = append(notes, n.String())
	}
	return m, strings.Join(notes, "\n")
}

// jobsOf returns the documents of jobs by key.
func jobsOf(m xxlimport.Migration) map[string]manifest.Object {
	all := map[string]manifest.Object{}
	for _, o := range m.Objects {
		if o.Kind == manifest.KindJob {
			all[o.Key] = o
		}
	}
	return all
}

// Each column that means something becomes the field that means it here.
func TestTurnColumns(t *testing.T) {
	t.Parallel()
	cron := func(text, zone string) map[string]any {
		return map[string]any{"kind": "cron", "cron": text, "zone": zone, "dst": map[string]any{"gap": "skip", "overlap": "second"}}
	}
	for _, c := range []struct {
		name    string
		changed xxlimport.Row
		field   string
		want    any
	}{
		{"cron", xxlimport.Row{"schedule_type": "CRON", "schedule_conf": " 0 0 2 ? * MON-FRI "}, "schedule", cron("0 0 2 ? * MON-FRI", "Asia/Shanghai")},
		{"cron of 2.2", xxlimport.Row{"schedule_type": "", "job_cron": "0 0 2 * * ?"}, "schedule", cron("0 0 2 * * ?", "Asia/Shanghai")},
		{"rate", xxlimport.Row{"schedule_type": "FIX_RATE", "schedule_conf": "30"}, "schedule", map[string]any{"kind": "every", "every": "30s"}},
		{"delay", xxlimport.Row{"schedule_type": "FIX_DELAY", "schedule_conf": "90"}, "schedule", map[string]any{"kind": "after", "after": "1m30s"}},
		{"none", nil, "schedule", nil},
		{"misfire", xxlimport.Row{"misfire_strategy": "FIRE_ONCE_NOW"}, "misfire", "fire_once"},
		{"shards", xxlimport.Row{"executor_route_strategy": "SHARDING_BROADCAST"}, "route", "broadcast"},
		{"hash", xxlimport.Row{"executor_route_strategy": "CONSISTENT_HASH"}, "route", "consistent_hash"},
		{"discard", xxlimport.Row{"executor_block_strategy": "DISCARD_LATER"}, "overlap", "discard"},
		{"scope", nil, "overlap_scope", "executor"},
		{"concurrency", xxlimport.Row{"executor_block_strategy": "CONCURRENT", "executor_concurrency": "7"}, "concurrency", 7.0},
		{"timeout", xxlimport.Row{"executor_timeout": "90"}, "timeout", "1m30s"},
		{"a negative timeout", xxlimport.Row{"executor_timeout": "-1"}, "timeout", nil},
		{"retries", xxlimport.Row{"executor_fail_retry_count": "3"}, "retry", map[string]any{"tries": 3.0}},
		{"param", xxlimport.Row{"executor_param": "{\"日\": 1}"}, "param", "{\"日\": 1}"},
		{"emails", xxlimport.Row{"alarm_email": "a@b.example, c@d.example,"}, "alarm_emails", []any{"a@b.example", "c@d.example"}},
		{"author", xxlimport.Row{"author": "ada", "glue_remark": "x\ny"}, "labels", map[string]any{"author": "ada", "glue_remark": "x y"}},
		{"title of 3.5", xxlimport.Row{"job_desc": "", "name": "Job 1"}, "title", "Job 1"},
		{"script", xxlimport.Row{"glue_type": "GLUE_POWERSHELL", "glue_source": "dir"}, "handler", map[string]any{"kind": "powershell", "source": "dir"}},
		{"python", xxlimport.Row{"glue_type": "GLUE_PYTHON2", "glue_source": "print 1"}, "handler", map[string]any{"kind": "python2", "source": "print 1"}},
		{"started, left alone", xxlimport.Row{"schedule_type": "FIX_RATE", "schedule_conf": "30", "trigger_status": "1"}, "enabled", nil},
	} {
		m, notes := turn(t, installation(bean("1", c.changed)), xxlimport.InstallationOptions{Zone: "Asia/Shanghai"})
		one, ok := jobsOf(m)["job-1"]
		if !ok {
			t.Errorf("%s: it is left out: %s", c.name, notes)
			continue
		}
		if diff := cmp.Diff(c.want, one.Spec[c.field]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// What cannot be taken over is told with its row and value, and stops no other row.
func TestTurnTells(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		changed    xxlimport.Row
		out        bool // the job is left out
	}{
		{"group", `xxl_job_info 1 (job-1): it is left out: job_group, 9,`, xxlimport.Row{"job_group": "9"}, true},
		{"no number", `executor_timeout, "soon", is no whole number`, xxlimport.Row{"executor_timeout": "soon"}, false},
		{"cron", `its expression "0 0 25 * * ?"`, xxlimport.Row{"schedule_type": "CRON", "schedule_conf": "0 0 25 * * ?"}, true},
		{"rate", `its pace "x"`, xxlimport.Row{"schedule_type": "FIX_RATE", "schedule_conf": "x"}, true},
		{"kind of schedule", `its schedule "LUNAR" is unknown`, xxlimport.Row{"schedule_type": "LUNAR"}, false},
		{"misfire", `"LATER"`, xxlimport.Row{"misfire_strategy": "LATER"}, true},
		{"route", `its route, "NEAR", is unknown`, xxlimport.Row{"executor_route_strategy": "NEAR"}, true},
		{"overlap", `its overlap, "MAYBE", is unknown`, xxlimport.Row{"executor_block_strategy": "MAYBE"}, true},
		{"glue", `"GLUE_PERL"`, xxlimport.Row{"glue_type": "GLUE_PERL"}, true},
		{"no handler", `it names no handler`, xxlimport.Row{"executor_handler": " "}, true},
		{"empty script", `its script is empty`, xxlimport.Row{"glue_type": "GLUE_SHELL", "glue_source": ""}, true},
		{"long script", `bytes, at most`, xxlimport.Row{"glue_type": "GLUE_SHELL", "glue_source": strings.Repeat("x", job.MaxSource+1)}, true},
		{"long param", `param: has`, xxlimport.Row{"executor_param": strings.Repeat("x", job.MaxParam+1)}, true},
		{"concurrency", `concurrency: 65`, xxlimport.Row{"executor_block_strategy": "CONCURRENT", "executor_concurrency": "65"}, true},
		{"timeout", `executor_timeout, 9999999, is longer than 30 days`, xxlimport.Row{"executor_timeout": "9999999"}, false},
		{"email", `"nobody" is not a mail address`, xxlimport.Row{"alarm_email": "nobody,a@b.example"}, false},
		{"child that is none", `its child_jobid "x"`, xxlimport.Row{"child_jobid": "x,2"}, false},
		{"child of its own", `its child_jobid 1 is itself`, xxlimport.Row{"child_jobid": "1"}, false},
		{"child twice", `its child_jobid 2 is named twice`, xxlimport.Row{"child_jobid": "2, 2"}, false},
		{"child that is gone", `its child "77"`, xxlimport.Row{"child_jobid": "77"}, false},
		{"started", `jobs that are started there: 1;`, xxlimport.Row{"trigger_status": "1"}, false},
	} {
		m, notes := turn(t, installation(bean("1", c.changed), bean("2", nil)), xxlimport.InstallationOptions{})
		if !strings.Contains(notes, c.want) {
			t.Errorf("%s: told %q, want %q in it", c.name, notes, c.want)
		}
		jobs := jobsOf(m)
		if _, there := jobs["job-1"]; there == c.out {
			t.Errorf("%s: it is there: %t", c.name, there)
		}
		if _, there := jobs["job-2"]; !there {
			t.Errorf("%s: the other job is gone: %s", c.name, notes)
		}
	}
}

// Children become edges, but for those that would make a server refuse the whole.
func TestTurnChildren(t *testing.T) {
	t.Parallel()
	m, notes := turn(t, installation(
		bean("1", xxlimport.Row{"child_jobid": "2, 4"}), bean("2", xxlimport.Row{"child_jobid": "3"}), bean("3", xxlimport.Row{"child_jobid": "1"}),
		bean("4", xxlimport.Row{"glue_type": "?"}), bean("5", xxlimport.Row{"super_task_id": "4"}), bean("6", xxlimport.Row{"super_task_id": "1"}),
		bean("7", xxlimport.Row{"super_task_id": "6", "child_jobid": "5,6"}),
	), xxlimport.InstallationOptions{})
	edges := ""
	for _, key := range []string{"job-1", "job-2", "job-3", "job-4", "job-5", "job-6", "job-7"} {
		o, there := jobsOf(m)[key]
		edges += fmt.Sprintln(key, there, o.Spec["children"], o.Spec["template"])
	}
	want := `job-1 true [map[key:job-2]] <nil>
job-2 true [map[key:job-3]] <nil>
job-3 true <nil> <nil>
job-4 false <nil> <nil>
job-5 false <nil> <nil>
job-6 true <nil> job-1
job-7 true [map[key:job-6]] <nil>
`
	if edges != want {
		t.Errorf("got\n%swant\n%s", edges, want)
	}
	for _, text := range []string{"3 (job-3): its child_jobid 1 is left out: that job starts this one again", "1 (job-1): its child_jobid 4 is left out", "5 (job-5): it is left out: the job whose code", "7: its super_task_id, 6"} {
		if !strings.Contains(notes, text) {
			t.Errorf("told\n%s\nwant %q in it", notes, text)
		}
	}
}

// Keys are made of titles; jobs without one in Latin letters are named by their number, so that they
// keep their key.
func TestTurnKeys(t *testing.T) {
	t.Parallel()
	m, _ := turn(t, installation(
		bean("11", xxlimport.Row{"job_desc": "同步", "executor_handler": ""}), bean("12", xxlimport.Row{"job_desc": "同步", "glue_type": "GLUE_SHELL", "glue_source": "ls", "executor_handler": ""}),
		bean("13", xxlimport.Row{"job_desc": "A"}), bean("14", xxlimport.Row{"job_desc": "a!"}),
	), xxlimport.InstallationOptions{Prefix: "old-", Start: true})
	jobs := jobsOf(m)
	for _, key := range []string{"old-job-12", "old-a", "old-a-2"} {
		if jobs[key].Spec["enabled"] != false {
			t.Errorf("%s: %v", key, jobs[key].Spec)
		}
	}
	if len(jobs) != 3 {
		t.Errorf("%d jobs", len(jobs))
	}
	m, _ = turn(t, installation(bean("1", xxlimport.Row{"trigger_status": "1", "schedule_type": "FIX_RATE", "schedule_conf": "5"}), bean("2", xxlimport.Row{"trigger_status": "1"})), xxlimport.InstallationOptions{Start: true})
	if jobs := jobsOf(m); jobs["job-1"].Spec["enabled"] != true || jobs["job-2"].Spec["enabled"] != false {
		t.Errorf("started: %v, %v", jobs["job-1"].Spec, jobs["job-2"].Spec)
	}
	if _, err := installation().Turn(xxlimport.InstallationOptions{Prefix: "Old "}); !job.Is(err, job.Invalid) {
		t.Errorf("a wrong prefix: %v", err)
	}
}

// A row whose id is no number of a row is left out, and told: it would be number 0, and
// what names that number would be its child.
func TestTurnNoNumbers(t *testing.T) {
	t.Parallel()
	i := installation(bean("1", nil), bean("x7", nil), bean("-5", nil), bean("01", xxlimport.Row{"job_desc": "", "name": "Later"}), bean("99999999999999999999", nil))
	none := bean("", nil)
	delete(none, "id")
	i.Jobs = append(i.Jobs, none)
	i.Groups = append(i.Groups, xxlimport.Row{"id": "g", "app_name": "other"})
	i.Users = []xxlimport.Row{{"id": "u", "username": "ada", "password": strings.Repeat("0f", 16)}}
	m, notes := turn(t, i, xxlimport.InstallationOptions{Role: "operator"})
	if len(m.Objects) != 2 || len(m.Keys) != 1 || len(m.Users) != 0 || len(i.Jobs) != 6 {
		t.Errorf("objects %v, keys %v, users %v", m.Objects, m.Keys, m.Users)
	}
	for _, text := range []string{
		`xxl_job_info (Job x7): it is left out: its id, "x7", is no number above 0`, `xxl_job_info (Job -5): it`, `xxl_job_info (Later): it is left out: its id, "01"`,
		`xxl_job_info (Job 99999999999999999999)`, `xxl_job_info (Job): it is left out: its id, "", is`, `xxl_job_group (other): it`, `xxl_job_user (ada): it`,
	} {
		if !strings.Contains(notes, text) {
			t.Errorf("told\n%s\nwant %q in it", notes, text)
		}
	}
}

func TestTurnGroupsAndUsers(t *testing.T) {
	t.Parallel()
	i := installation(bean("1", xxlimport.Row{"job_group": "4"}))
	i.Groups = append(i.Groups, xxlimport.Row{"id": "2", "app_name": "bad name"}, xxlimport.Row{"id": "3", "app_name": "etl", "name": "again"},
		xxlimport.Row{"id": "4", "app_name": "Hand", "name": "By hand", "address_type": "1", "address_list": "a:1,, http://b:2/ ,a:1", "access_token": "s3cret"})
	md5, bcrypt := strings.Repeat("0f", 16), "$2a$10$"+strings.Repeat("x", 53)
	i.Users = []xxlimport.Row{
		{"id": "1", "username": "Root", "password": md5, "role": "1", "permission": "1"},
		{"id": "2", "username": "ada", "password": bcrypt, "role": "0", "permission": "1, 3,4,2,x"},
		{"id": "3", "username": "ADA", "password": md5},
		{"id": "4", "username": "o o", "password": md5},
		{"id": "5", "username": "eve", "password": "hunter2"},
		{"id": "6", "username": "bob", "password": md5, "role": "0"},
	}
	m, notes := turn(t, i, xxlimport.InstallationOptions{Role: "operator"})
	if len(m.Objects) != 3 || m.Objects[0].Spec["title"] != "数据" || m.Objects[1].Key != "Hand" || m.Objects[1].Spec["title"] != "By hand" || m.Objects[2].Spec["group"] != "Hand" {
		t.Errorf("objects %v", m.Objects)
	}
	if diff := cmp.Diff([]xxlimport.Address{{Group: "Hand", URL: "http://a:1"}, {Group: "Hand", URL: "http://b:2"}}, m.Addresses); diff != "" {
		t.Error(diff)
	}
	g := func(role access.Role, ns, group string) access.Grant {
		return access.Grant{Role: role, Namespace: ns, Group: group}
	}
	want := []xxlimport.User{
		{Name: "root", Hash: md5, Grants: []access.Grant{g(access.Administrator, "*", "*")}},
		{Name: "ada", Hash: bcrypt, Grants: []access.Grant{g("operator", "default", "etl"), g("operator", "default", "Hand")}},
		{Name: "bob", Hash: md5},
	}
	if diff := cmp.Diff(want, m.Users); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{
		"xxl_job_group 2: it is left out", "xxl_job_group 3 (etl): it has the name of group 1", "its access_token is not taken over", `its permission "2"`, `its permission "x"`,
		"xxl_job_user 3 (ada): it is left out", "xxl_job_user 4: it is left out", "xxl_job_user 5 (eve): it is left out: its password",
	} {
		if !strings.Contains(notes, text) {
			t.Errorf("told\n%s\nwant %q in it", notes, text)
		}
	}
	if strings.Contains(notes, "hunter2") || strings.Contains(notes, "s3cret") {
		t.Errorf("told a password: %s", notes)
	}
}
