package runlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"
)

// trashPrefix names the folders that are being deleted.
const trashPrefix = ".trash-"

// Prune deletes the folders of the days that lie more than Config.Days before
// now's day, and returns how many. It leaves a day on which a log is still
// being written. A folder that cannot be deleted does not stop the others; the
// error tells of all of them, and the next Prune tries again.
func (l *Logs) Prune(now time.Time) (int, error) {
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
	if err := errors.Join(errs...); err != nil {
		return pruned, fmt.Errorf("delete old run logs: %w", err)
	}
	return pruned, nil
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
	if l.busy(day) {
		return "", false, nil
	}
	trash = trashPrefix + day
	if err := l.root.RemoveAll(trash); err != nil {
		return "", false, err
	}
	if err := l.root.Rename(day, trash); err != nil {
		return "", false, err
	}
	return trash, true, nil
}

func (l *Logs) busy(day string) bool {
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
	dir, err := l.root.Open(".")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	var names []string
	for {
		entries, err := dir.ReadDir(256)
		for _, entry := range entries {
			if entry.Type()&fs.ModeDir != 0 {
				names = append(names, entry.Name())
			}
		}
		if errors.Is(err, io.EOF) {
			return names, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
