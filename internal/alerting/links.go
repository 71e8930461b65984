package alerting

import words "github.com/orthd/orth/alarm"

// Links builds the addresses of console pages. Each function returns "" when users cannot
// reach the page, or when its address is unknown. The zero value returns no addresses.
type Links struct {
	Run, Alarm func(id int64) string
	Job, Group func(namespace, key string) string
	// Alarms is the list of all alarms.
	Alarms func() string
}

// setDefaults replaces missing functions by those that return "".
func (l *Links) setDefaults() {
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

// ofItem returns the page of an item's run, otherwise of its job or its group.
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

// addTo sets the links of a message: one for each item, that of the newest item, and that
// of the alarm. A message about several alarms links to the alarm list.
func (l *Links) addTo(m *words.Message) {
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
