-- +goose Up

-- Who looks at a run wants to know whether somebody was told of its end.
CREATE INDEX alarm_entries_run ON alarm_entries (run_id);
CREATE INDEX alarm_notifications_bunch ON alarm_notifications (bunch_key, created_at);
