package app

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/orthd/orth/internal/blob/folder"
	"github.com/orthd/orth/internal/blob/s3"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// LogStore is where the text of logs is kept.
type LogStore string

// The places for the text of logs.
const (
	LogsInFolder   LogStore = "folder"
	LogsInDatabase LogStore = "database"
	LogsInS3       LogStore = "s3"
)

// LogS3 is a bucket for the text of logs.
type LogS3 struct {
	// URL is https://host[:port]/bucket[/prefix].
	URL string
	// Region is the bucket's. Defaults to the region that the store reports.
	Region string
	// AccessKey and SecretKey sign requests. Default to those that AWS' own tools
	// find in the environment, in their file, or by the role of the machine.
	AccessKey string
	SecretKey redacted.Text
	// CA is a PEM file with the authorities that the store's certificate is checked
	// with. Defaults to the machine's.
	CA string
}

// checkFor bounds the look at a bucket when a server starts.
const checkFor = 10 * time.Second

// checkLogStore reports what is wrong with where logs are kept.
func (c *Config) checkLogStore() error {
	switch c.LogStore {
	case LogsInFolder, LogsInDatabase:
		if l := &c.LogS3; l.URL+l.Region+l.AccessKey+l.CA != "" || !l.SecretKey.IsZero() {
			return job.FieldErrorf("log-store", "is %s, and there are settings for s3", c.LogStore)
		}
	case LogsInS3:
		if c.LogS3.URL == "" {
			return job.FieldErrorf("log-s3-url", "is needed to keep logs in s3: it is https://host[:port]/bucket/prefix")
		}
	default:
		return job.FieldErrorf("log-store", "%q is unknown; use folder, database or s3", c.LogStore)
	}
	if c.LogStore != LogsInFolder && c.LogFolder != "" {
		return job.FieldErrorf("log-folder", "is for logs in a folder, and log-store is %s", c.LogStore)
	}
	return nil
}

// blobs opens where packs of logs are stored.
func (s *Server) blobs() (logbook.Blobs, error) {
	c := &s.config
	switch c.LogStore {
	case LogsInDatabase:
		return s.store.LogBlobs(), nil
	case LogsInS3:
		return s.bucket()
	default:
		dir := c.LogFolder
		if dir == "" {
			dir = filepath.Join(c.Data, "logs")
		}
		opened, err := folder.Open(dir)
		if err != nil {
			return nil, err
		}
		s.logs = opened
		return opened, nil
	}
}

// bucket opens a bucket. One that is not there is an error, one that does not answer
// is not: logs wait for it.
func (s *Server) bucket() (logbook.Blobs, error) {
	c := &s.config
	place, err := s3.ParsePlace("log-s3-url", c.LogS3.URL)
	if err != nil {
		return nil, err
	}
	opened, err := s3.New(s3.Config{
		Place: place, Region: c.LogS3.Region, AccessKey: c.LogS3.AccessKey, SecretKey: c.LogS3.SecretKey, CA: c.LogS3.CA,
		Logger: c.Logger.With("room", "tls"),
	})
	if err != nil {
		return nil, err
	}
	s.logs = opened
	ctx, cancel := context.WithTimeout(context.Background(), checkFor)
	defer cancel()
	err = opened.Check(ctx)
	if job.Is(err, job.Unavailable) || errors.Is(err, context.DeadlineExceeded) {
		c.Logger.Warn("the store of logs does not answer; logs wait for it in memory, as many as fit there", "place", place.String(), "error", err)
		err = nil
	}
	return opened, err
}

// closeStores closes the stores that New has opened, when they are no longer used.
func (s *Server) closeStores() error {
	closing := []error{s.store.Close()}
	if s.logs != nil {
		closing = append(closing, s.logs.Close())
	}
	return errors.Join(closing...)
}
