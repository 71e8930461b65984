package importer

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Limits of Kubernetes texts.
const (
	maxDepth     = 64
	maxArguments = 1000
	// atOnce bounds the concurrent runs of a job without a limit of its own.
	atOnce = 10
	// defaultBackoff is the default retry limit of Kubernetes.
	defaultBackoff = 6
)

// Kubernetes converts the CronJobs of batch/v1 and batch/v1beta1 in a YAML or JSON text:
// documents, or lists of them. It is Invalid when the text is too large or not YAML, or an
// option is wrong. An object that cannot be a job is skipped with a note.
func Kubernetes(text []byte, o Options) (Imported, error) {
	if err := o.check(); err != nil {
		return Imported{}, err
	}
	if len(text) > MaxSize {
		return Imported{}, job.Errorf(job.Invalid, "it is larger than %d MiB", MaxSize>>20)
	}
	c := cluster{importing{Options: o}}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for documents := 0; ; documents++ {
		var document yaml.Node
		err := decoder.Decode(&document)
		switch {
		case errors.Is(err, io.EOF):
			return c.result(), nil
		case err != nil:
			return Imported{}, job.Errorf(job.Invalid, "it is no YAML: %s", strings.ReplaceAll(err.Error(), "\n", " "))
		case documents >= maxJobs:
			return Imported{}, job.Errorf(job.Invalid, "there are more than %d documents", maxJobs)
		}
		if err := plain(&document, 0); err != nil {
			return Imported{}, err
		}
		if len(document.Content) > 0 {
			c.object(document.Content[0], 0)
		}
	}
}

// plain refuses aliases, and nesting that is too deep.
func plain(n *yaml.Node, depth int) error {
	if n.Kind == yaml.AliasNode {
		return job.Errorf(job.Invalid, "line %d: aliases are not read: write out what they stand for", n.Line)
	}
	if depth > maxDepth {
		return job.Errorf(job.Invalid, "line %d: values stand more than %d deep in each other", n.Line, maxDepth)
	}
	for _, inner := range n.Content {
		if err := plain(inner, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// cluster is the state of a conversion of Kubernetes objects.
type cluster struct{ importing }

// fields are the fields of a mapping. It records which were used.
type fields struct {
	line  int
	path  string
	names []string
	value map[string]*yaml.Node
	used  map[string]bool
}

// mapping returns the fields of a node. A node that is no mapping has none.
func mapping(n *yaml.Node, path string) *fields {
	f := &fields{path: path, value: map[string]*yaml.Node{}, used: map[string]bool{}}
	if n == nil {
		return f
	}
	f.line = n.Line
	if n.Kind != yaml.MappingNode {
		return f
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		if f.value[name] == nil {
			f.names = append(f.names, name)
		}
		f.value[name] = n.Content[i+1]
	}
	return f
}

// takeField returns a field and records its use; nil when it is missing.
func (f *fields) takeField(name string) *yaml.Node {
	f.used[name] = true
	return f.value[name]
}

// under returns the fields of a nested mapping.
func (f *fields) under(name string) *fields {
	n := f.takeField(name)
	inner := mapping(n, f.path+name+".")
	if n == nil {
		inner.line = f.line
	}
	return inner
}

// takeText returns a scalar field.
func (f *fields) takeText(name string) string {
	n := f.takeField(name)
	if n == nil || n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

// lineOf returns the line of a field.
func (f *fields) lineOf(name string) int {
	if n := f.value[name]; n != nil {
		return n.Line
	}
	return f.line
}

// noteUnused notes the unused fields, except some without a meaning here.
func (c *cluster) noteUnused(f *fields, key string, without ...string) {
	for _, name := range without {
		f.used[name] = true
	}
	for _, name := range f.names {
		if !f.used[name] {
			c.addNote(f.lineOf(name), key, "field-left-out", "%s%.60s is not taken over", f.path, name)
		}
	}
}

// object converts an object, or the objects of a list.
func (c *cluster) object(n *yaml.Node, depth int) {
	f := mapping(n, "")
	kind, version := f.takeText("kind"), f.takeText("apiVersion")
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
	case strings.HasSuffix(kind, "List") && f.takeField("items") != nil && depth < 3:
		if items := f.takeField("items"); items.Kind == yaml.SequenceNode {
			for _, item := range items.Content {
				inner := mapping(item, "")
				if kind != "List" && inner.takeText("kind") == "" {
					c.cronJob(inner) // a typed list does not repeat the kind
					continue
				}
				c.object(item, depth+1)
			}
		}
	case kind == "CronJob" && (version == "batch/v1" || version == "batch/v1beta1"):
		c.cronJob(f)
	case kind == "CronJob":
		c.addNote(n.Line, "", "version-unknown", "it is left out: CronJobs of %.60q are unknown; batch/v1 and batch/v1beta1 are read", version)
	default:
		c.addNote(n.Line, "", "no-cronjob", "it is left out: an object of the kind %.60q is no CronJob", kind)
	}
}

// cronJob converts one CronJob.
func (c *cluster) cronJob(f *fields) {
	f.used["kind"], f.used["apiVersion"] = true, true
	meta := f.under("metadata")
	key := c.uniqueKey(meta.takeText("name"))
	namespace := c.Namespace
	if own := toKey(meta.takeText("namespace")); namespace == "" {
		namespace = own
	}
	c.noteUnused(meta, key, "creationTimestamp", "resourceVersion", "uid", "generation", "managedFields", "selfLink", "annotations", "labels")
	c.noteUnused(f, key, "spec", "status")
	spec := f.under("spec")
	on := spec.takeText("suspend") != "true"
	if !on {
		c.addNote(spec.lineOf("suspend"), key, "suspended", "it is suspended there: it is stopped here too")
	}
	made := api.NewJob{Schedule: c.schedule(spec, key)}
	c.convertLate(spec, key, &made)
	if !c.overlap(spec, key, &made) {
		return
	}
	runs := spec.under("jobTemplate")
	c.noteUnused(spec, key, "successfulJobsHistoryLimit", "failedJobsHistoryLimit")
	c.noteUnused(runs, key, "metadata", "spec")
	if c.convertRun(runs.under("spec"), key, &made) {
		c.addJob(f.line, namespaceOf(namespace), key, made, on)
	}
}

// schedule converts the schedule of a CronJob. There, "?" means the same as "*".
func (c *cluster) schedule(spec *fields, key string) api.Schedule {
	line, expression, zone := spec.lineOf("schedule"), strings.TrimSpace(spec.takeText("schedule")), spec.takeText("timeZone")
	for _, prefix := range []string{"TZ=", "CRON_TZ="} {
		if rest, found := strings.CutPrefix(expression, prefix); found {
			zone, expression = firstField(rest)
		}
	}
	if zone == "" {
		if zone = c.Zone; zone == "" {
			c.addNote(line, key, "no-zone-cluster", "it names no time zone, and fired in that of the cluster: here it is UTC; name another with --zone")
		}
	}
	parts := strings.Fields(strings.ReplaceAll(expression, "?", "*"))
	if len(parts) == 5 && parts[2] != "*" && parts[4] != "*" && (strings.HasPrefix(parts[2], "*/") || strings.HasPrefix(parts[4], "*/")) {
		c.addNote(line, key, "days-both", "its days of the month and of the week: there a day counts that either names, here one that both name, because one begins with *")
	}
	return cronSchedule(strings.Join(parts, " "), zone)
}

// convertLate converts the handling of late runs: the newest one is caught up, within the deadline
// if there is one.
func (c *cluster) convertLate(spec *fields, key string, made *api.NewJob) {
	made.Misfire = schedule.MisfireFireOnce
	text := spec.takeText("startingDeadlineSeconds")
	if text == "" {
		return
	}
	seconds, err := strconv.ParseInt(text, 10, 32)
	if err != nil || seconds < 0 || time.Duration(seconds)*time.Second > schedule.MaxWindow {
		c.addNote(spec.lineOf("startingDeadlineSeconds"), key, "deadline-no-number", "startingDeadlineSeconds is not taken over: %.40q is no such number", text)
		return
	}
	if seconds < 5 {
		made.Misfire = schedule.MisfireSkip // a run that is this late is not missed here
		return
	}
	made.Misfire = schedule.MisfireFireAll
	made.MisfireLimits = api.MisfireLimits{Max: 1, Window: api.Duration(time.Duration(seconds) * time.Second)}
}

func (c *cluster) overlap(spec *fields, key string, made *api.NewJob) bool {
	switch policy := spec.takeText("concurrencyPolicy"); policy {
	case "", "Allow":
		made.Overlap, made.Concurrency = job.OverlapConcurrent, atOnce
		c.addNote(spec.lineOf("concurrencyPolicy"), key, "at-once-bounded", "it may run beside itself without a bound: here up to %d times, and further runs wait", atOnce)
	case "Forbid":
		made.Overlap = job.OverlapDiscard
	case "Replace":
		made.Overlap = job.OverlapCover
	default:
		c.addNote(spec.lineOf("concurrencyPolicy"), key, "policy-unknown", "it is left out: the concurrencyPolicy %.40q is unknown", policy)
		return false
	}
	return true
}

// number returns an integer field of at least least.
func (c *cluster) number(f *fields, name, key string, without, least, most int64) int64 {
	text := f.takeText(name)
	if text == "" {
		return without
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		c.addNote(f.lineOf(name), key, "field-no-number", "%s%s is not taken over: %.40q is no number from %d to %d", f.path, name, text, least, most)
		return without
	}
	return n
}

// convertRun converts what a run does, and reports whether that is possible here.
func (c *cluster) convertRun(spec *fields, key string, made *api.NewJob) bool {
	if tries := c.number(spec, "backoffLimit", key, defaultBackoff, 0, 1000); tries > 0 {
		made.Retry = api.Retry{Tries: int(tries), Initial: api.Duration(10 * time.Second), Multiplier: 2, Max: api.Duration(6 * time.Minute)}
	}
	if seconds := c.number(spec, "activeDeadlineSeconds", key, 0, 1, 8760*3600); seconds > 0 {
		made.Delivery.Deadline = api.Duration(time.Duration(seconds) * time.Second)
		made.Timeout = made.Delivery.Deadline
	}
	for _, name := range []string{"completions", "parallelism"} {
		if spec.takeText(name) == "1" {
			continue
		}
		if spec.value[name] != nil {
			spec.used[name] = false
		}
	}
	pod := spec.under("template")
	c.noteUnused(spec, key, "ttlSecondsAfterFinished")
	c.noteUnused(pod, key, "metadata", "spec")
	inner := pod.under("spec")
	containers := inner.takeField("containers")
	if init := inner.takeField("initContainers"); init != nil && len(init.Content) > 0 {
		c.addNote(init.Line, key, "init-containers", "it is left out: it has initContainers; make jobs of them, and a workflow of all")
		return false
	}
	if containers == nil || containers.Kind != yaml.SequenceNode || len(containers.Content) != 1 {
		c.addNote(inner.line, key, "not-one-container", "it is left out: it has not exactly one container; make a job of each")
		return false
	}
	c.noteUnused(inner, key, "restartPolicy", "terminationGracePeriodSeconds", "schedulerName", "dnsPolicy", "securityContext", "imagePullSecrets")
	return c.container(mapping(containers.Content[0], inner.path+"containers[0]."), key, made)
}

// container converts a container's command to a script.
func (c *cluster) container(f *fields, key string, made *api.NewJob) bool {
	command, args := words(f.takeField("command")), words(f.takeField("args"))
	image := f.takeText("image")
	if len(command) == 0 {
		c.addNote(f.line, key, "image-program", "it is left out: it runs the program that the image %.100s names, which nobody knows here; write its command out", shellQuote(image))
		return false
	}
	var out strings.Builder
	c.environment(f, key, &out)
	if dir := f.takeText("workingDir"); dir != "" {
		out.WriteString("cd " + shellQuote(dir) + " || exit 1\n")
	}
	out.WriteString("exec")
	for _, text := range append(command, args...) {
		if strings.Contains(text, "$(") {
			c.addNote(f.line, key, "references-kept", "references such as $(NAME) in its arguments are not replaced here: %.60s", shellQuote(text))
		}
		out.WriteString(" " + shellQuote(text))
	}
	made.Handler = api.Handler{Kind: job.HandlerShell, Source: out.String() + "\n"}
	if image != "" {
		c.addNote(f.lineOf("image"), key, "image-not-run", "no image is run here: executors of the group must have the programs of %.100s", shellQuote(image))
	}
	c.noteUnused(f, key, "name", "imagePullPolicy", "terminationMessagePath", "terminationMessagePolicy")
	return true
}

// environment writes the variables with literal values.
func (c *cluster) environment(f *fields, key string, out *strings.Builder) {
	list := f.takeField("env")
	if list == nil || list.Kind != yaml.SequenceNode {
		return
	}
	for _, n := range list.Content[:min(len(list.Content), maxArguments)] {
		one := mapping(n, "env.")
		name := one.takeText("name")
		switch value := one.takeField("value"); {
		case !isVariable(name):
			c.addNote(n.Line, key, "variable-no-name", "the variable %.60q is not taken over: it is no name for a shell", name)
		case one.value["valueFrom"] != nil:
			c.addNote(n.Line, key, "variable-elsewhere", "the variable %s is not taken over: it comes from elsewhere; a secret is written as ${secret:KEY}", name)
		case value != nil:
			out.WriteString("export " + name + "=" + quoted(one.takeText("value")) + "\n")
		default:
			out.WriteString("export " + name + "=''\n")
		}
	}
}

// words returns the strings of a list.
func words(n *yaml.Node) (list []string) {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	for _, one := range n.Content[:min(len(n.Content), maxArguments)] {
		list = append(list, one.Value)
	}
	return list
}
