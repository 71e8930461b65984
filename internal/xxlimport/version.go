package xxlimport

import "slices"

// hasColumn reports whether a table has a column.
func (i *Installation) hasColumn(table, column string) bool {
	return slices.Contains(i.Columns[table], column)
}

// Java reports whether the tables are those of the Java server with Orth's name: it has
// columns that no XXL-JOB has. Names of tables do not tell, because databases were
// taken over in place.
func (i *Installation) Java() bool {
	return i.Prefix == "orth_job_" || i.hasColumn(TableJobs, "executor_concurrency") || i.hasColumn(TableJobs, "super_task_id") ||
		i.hasColumn(TableRuns, "schedule_time")
}

// Version tells people which server the tables are of, as far as their columns say it.
// Tables are changed by hand from release to release, so that some have a mix.
func (i *Installation) Version() string {
	switch {
	case i.Java():
		return "the Java Orth"
	case i.hasColumn(TableGroups, "access_token"):
		return "XXL-JOB 3.5"
	case i.hasColumn(TableUsers, "token") && i.WideParams:
		return "XXL-JOB 3.4"
	case i.hasColumn(TableUsers, "token"):
		return "XXL-JOB 3.2 or 3.3"
	case i.UniqueBeats:
		return "XXL-JOB 2.5 to 3.1"
	case i.hasColumn(TableJobs, "schedule_type"):
		return "XXL-JOB 2.3 or 2.4"
	}
	return "XXL-JOB 2.2 or older"
}

// pythonIsOld reports whether GLUE_PYTHON meant the command python: since 3.2 it is
// python3.
func (i *Installation) pythonIsOld() bool { return !i.Java() && !i.hasColumn(TableUsers, "token") }
