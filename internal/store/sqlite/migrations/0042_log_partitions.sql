-- +goose Up

-- Nothing: SQLite keeps the parts of packs of logs in one table.
SELECT 1;
