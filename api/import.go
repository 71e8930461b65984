package api

import "github.com/orthd/orth/access"

// ImportKind is what jobs are taken over from.
type ImportKind string

// The kinds of imports.
const (
	// ImportDatabase is the MySQL or MariaDB database of XXL-JOB, or of the Java Orth.
	ImportDatabase ImportKind = "database"
	// ImportJSON is what a console of them has exported.
	ImportJSON ImportKind = "json"
	// ImportCrontab is a table of cron, ImportKubernetes are CronJobs.
	ImportCrontab    ImportKind = "crontab"
	ImportKubernetes ImportKind = "kubernetes"
)

// NewImport selects the source of an import and its destination. Of the fields below Start
// only those of the kind apply.
type NewImport struct {
	Kind      ImportKind `json:"kind" enum:"database,json,crontab,kubernetes" doc:"The source: the database of XXL-JOB or of the Java Orth, jobs that one of their consoles has exported, a crontab, or CronJobs of Kubernetes."`
	DryRun    bool       `json:"dry_run,omitempty" doc:"Only preview the import: nothing is changed here."`
	Namespace string     `json:"namespace,omitempty" doc:"Where groups and jobs go. Defaults to default."`
	Zone      string     `json:"zone,omitempty" maxLength:"64" example:"Asia/Shanghai" doc:"The time zone of cron expressions that name none: that of the old server's process. Defaults to the zone of the database, or else UTC."`
	Prefix    string     `json:"prefix,omitempty" maxLength:"64" doc:"Begins the key of each job."`
	Start     bool       `json:"start,omitempty" doc:"Start the jobs that are started there, and stop the others. Without it new ones are stopped, and others stay as they are."`

	Address     string      `json:"address,omitempty" maxLength:"1024" example:"jdbc:mysql://db:3306/xxl_job" doc:"Of the database: user@tcp(host:3306)/xxl_job, mysql://user@host:3306/xxl_job, or the JDBC URL of the old server. The server reaches it by TCP, also in private networks."`
	User        string      `json:"user,omitempty" maxLength:"128" doc:"A user who may SELECT there, instead of the one in the address."`
	Password    string      `json:"password,omitempty" writeOnly:"true" maxLength:"1024" doc:"Of the user. It is used once, and neither kept nor shown."`
	TablePrefix string      `json:"table_prefix,omitempty" maxLength:"64" doc:"The prefix of the table names. Defaults to the prefix that is found, such as xxl_job_."`
	Users       bool        `json:"users,omitempty" doc:"Make the users too, with their groups and the hashes of their passwords."`
	Role        access.Role `json:"role,omitempty" enum:"viewer,operator,editor,scripter,owner" doc:"The role in their groups of users who are not administrators. Defaults to editor."`
	Executors   bool        `json:"executors,omitempty" doc:"Enter the executors too that were entered by hand. Do it when the old server uses them no more."`

	Text   string            `json:"text,omitempty" maxLength:"1000000" doc:"The content of the file, for the kinds that are not databases. Larger files need the command line."`
	Group  string            `json:"group,omitempty" maxLength:"64" doc:"Whose executors run the jobs. Needed for a crontab and CronJobs; for json, of jobs whose group groups does not name."`
	Groups map[string]string `json:"groups,omitempty" doc:"For json: the key of a group by the number that the export has."`
	System bool              `json:"system,omitempty" doc:"For a crontab: it has a column with users, as /etc/crontab has."`
}

// Import is what an import came to, or would come to.
type Import struct {
	DryRun    bool        `json:"dry_run" doc:"Nothing was changed."`
	Source    string      `json:"source,omitempty" doc:"The product whose tables they are, such as XXL-JOB 2.3 or 2.4."`
	Namespace string      `json:"namespace"`
	Zone      string      `json:"zone,omitempty" doc:"The time zone that was assumed for cron expressions."`
	ZoneFrom  string      `json:"zone_from,omitempty" doc:"The source of the zone, when the request did not name it."`
	Found     ImportFound `json:"found" doc:"The number of objects found, importable or not. Absent figures are 0."`
	// Items are in the order in which they are carried out.
	Items    []ImportItem    `json:"items" nullable:"false" doc:"The objects that are imported, and the result of each."`
	Findings []ImportFinding `json:"findings" nullable:"false" doc:"The parts that are not imported, or have another meaning here."`
}

// ImportFound counts what there is. Links are from jobs to those that they start.
type ImportFound struct {
	Groups    int `json:"groups"`
	Jobs      int `json:"jobs"`
	Links     int `json:"links"`
	Users     int `json:"users"`
	Executors int `json:"executors"`
}

// ImportItem is one thing that is taken over.
type ImportItem struct {
	Kind   string `json:"kind" enum:"group,job,executor,user"`
	Key    string `json:"key" doc:"Its key, name or address."`
	Group  string `json:"group,omitempty" doc:"Of a job or an executor."`
	Title  string `json:"title,omitempty"`
	Action string `json:"action" enum:"create,change,none" doc:"none: it is there already, as it should be."`
	// Result is how the import of the object ended.
	Result  string        `json:"result" enum:"planned,done,failed,left" doc:"left: it was there, or the import ended before."`
	Message string        `json:"message,omitempty" doc:"The error, or a remark."`
	Fields  []ImportField `json:"fields,omitempty" doc:"For a change: the differences."`
}

// ImportField is a field that an import changes. A text value is unquoted, any other is
// JSON; empty is none.
type ImportField struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// ImportFinding is something that is not taken over, or means something else here.
type ImportFinding struct {
	Table string `json:"table,omitempty" doc:"The row in a database."`
	Row   int64  `json:"row,omitempty" doc:"Its number there; absent for the whole table."`
	Line  int    `json:"line,omitempty" doc:"The place in a text."`
	Name  string `json:"name,omitempty" doc:"The object of the remark: the key of a job or a group, or the name of a user."`
	// Code identifies the template of Text, whatever its object, and Args are the values in
	// it.
	Code string   `json:"code,omitempty" enum:"address-twice,address-wrong,at-once-bounded,at-once-unknown,at-reboot,child-itself,child-left-out,child-loop,child-no-number,child-twice,child-unknown,code-unknown,cron-day-of-month,cron-day-of-week,cron-hour,cron-long,cron-minute,cron-month,cron-never,cron-second,cron-shape,cron-year,days-both,deadline-no-number,field-left-out,field-no-number,group-joined,group-name,group-no-name,group-not-taken,group-unnamed,id-no-number,image-not-run,image-program,init-containers,job-left-out,label-too-long,left-out,mail-left-out,misfire-unknown,more,name-taken,no-command,no-cronjob,no-fields,no-handler,no-number,no-zone-cluster,no-zone-machine,not-one-container,overlap-unknown,pace-no-number,password-unknown,permission-unknown,policy-unknown,python-two,ran-as,ran-as-root,random-delay,references-kept,route-unknown,schedule-unknown,script-empty,script-too-long,started-there,suspended,template-copied,template-left-out,template-missing,timeout-too-long,title-cut,token-kept-back,too-many-addresses,too-many-children,too-many-grants,too-many-jobs,tz-no-zone,user-name,user-no-name,user-reserved,user-variable,variable-elsewhere,variable-no-name,version-unknown,versions-kept-back,was-started,zone-unknown" doc:"The code of the remark, whatever its object: for translations."`
	Args []string `json:"args,omitempty" nullable:"false" doc:"The values of its placeholders, in order."`
	Text string   `json:"text" doc:"The same in English."`
}
