// Package oldadmin answers the scripts and executors that call an admin of the XXL-JOB
// family: they find jobs, groups and logs by ids, and keep the jobs of their group.
//
// It knows which object such a call means, and who asks. It must never know HTTP or
// foreign words: internal/wire/xxl and internal/wire/xxladmin translate them. Calls come
// in; commands to jobs and queries go out.
package oldadmin
