package runlog

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// trashPrefix names the folders that are being deleted.
const trashPrefix = ".trash-"

// Prune deletes the folders of the days that lie more than Config.Days before now's day,
// and returns how many. It leaves a day on which a log is still being written. Then it
// deletes the oldest logs while all together have more than Config.MaxTotal bytes, but
// never one that is being written and not the pack that is appended to; an index goes with
// its log. What cannot be deleted does not stop the rest; the error lists all of it, and
// the next Prune tries again. While the total is within its limit Prune is cheap.
func (l *Logs) Prune(now time.Time) (int, error) {
	pruned, err := l.pruneDays(now)
	if err := errors.Join(err, l.shrink()); err != nil {
		return pruned, fmt.Errorf("delete old run logs: %w", err)
	}
	return pruned, nil
}

func (l *Logs) pruneDays(now time.Time) (int, error) {
	if l.config.Days == 0 {
		return 0, nil
	}
	names, err := l.names()
	if err != nil {
		return 0, fmt.Errorf("list the days of the run logs: %w", err)
	}
	oldest := l.oldest(now)
	pruned := 0
	var errs []error
	for _, name := range names {
		trash := name
		if !strings.HasPrefix(name, trashPrefix) {
			if _, err := time.Parse(dayLayout, name); err != nil || name >= oldest {
				continue
			}
			var moved bool
			if trash, moved, err = l.discard(name); err != nil {
				errs = append(errs, err)
			}
			if !moved {
				continue
			}
			pruned++
		}
		errs = append(errs, l.root.RemoveAll(trash))
	}
	return pruned, errors.Join(errs...)
}

// oldest returns the first day that is kept.
func (l *Logs) oldest(now time.Time) string {
	year, month, day := now.In(l.config.Zone).Date()
	return time.Date(year, month, day-l.config.Days, 0, 0, 0, 0, time.UTC).Format(dayLayout)
}

// discard renames a day's folder, which is quick, so that nothing is created in
// it while its files are deleted, which may take long.
func (l *Logs) discard(day string) (trash string, moved bool, err error) {
	l.days.Lock()
	defer l.days.Unlock()
	if l.isInUse(day) {
		return "", false, nil
	}
	trash = trashPrefix + day
	if err := l.root.RemoveAll(trash); err != nil {
		return "", false, err
	}
	if err := l.packs.forget(day, func() error { return l.root.Rename(day, trash) }); err != nil {
		return "", false, err
	}
	return trash, true, nil
}

func (l *Logs) isInUse(day string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for path := range l.open {
		if strings.HasPrefix(path, day+"/") {
			return true
		}
	}
	return false
}

// names returns the names of the folders, in no order.
func (l *Logs) names() ([]string, error) {
	var names []string
	err := l.packs.eachEntry(".", func(entry fs.DirEntry) error {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
		return nil
	})
	return names, err
}
