-- +goose Up

-- Nothing: bad states have an index of their own here.
SELECT 1;
