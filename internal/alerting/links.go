package alerting

import words "github.com/orthd/orth/alarm"

// Links returns the addresses of the console's pages. Each function returns "" when
// people cannot reach the page, or when nobody knows its address. The zero value knows
// no page.
type Links struct {
	Run, Alarm func(id int64) string
	Job, Group func(namespace, key string) string
	// Alarms is the list of all alarms.
	Alarms func() string
}

// fill puts functions that know nothing in the place of missing ones.
func (l *Links) fill() {
	byID := func(int64) string { return "" }
	byKey := func(string, string) string { return "" }
	if l.Run == nil {
		l.Run = byID
	}
	if l.Alarm == nil {
		l.Alarm = byID
	}
	if l.Job == nil {
		l.Job = byKey
	}
	if l.Group == nil {
		l.Group = byKey
	}
	if l.Alarms == nil {
		l.Alarms = func() string { return "" }
	}
}

// ofItem returns the page of what an item is about: its run, or else its job, or else
// its group.
func (l *Links) ofItem(i *words.Item) string {
	switch {
	case i.RunID != 0:
		return l.Run(i.RunID)
	case i.JobKey != "":
		return l.Job(i.Namespace, i.JobKey)
	case i.Group != "":
		return l.Group(i.Namespace, i.Group)
	}
	return ""
}

// put sets the links of a message: those of its items, that of the newest of them, and
// that of the alarm, or of the list when the message is about several.
func (l *Links) put(m *words.Message) {
	for i := range m.Items {
		m.Items[i].Link = l.ofItem(&m.Items[i])
	}
	if len(m.Items) == 0 {
		return
	}
	m.Link = m.Items[0].Link
	if m.Alarms == 1 && m.Items[0].AlarmID != 0 {
		m.AlarmLink = l.Alarm(m.Items[0].AlarmID)
		return
	}
	m.AlarmLink = l.Alarms()
}
