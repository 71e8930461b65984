// Package s3 keeps blobs in a bucket of a store that speaks the S3 protocol.
//
// It knows the protocol, by minio-go, and what its answers mean. It must never know
// what is in a blob. Names, and bytes to keep, come in; bytes go out. A blob is one
// object with the name of the blob behind the place's prefix; the store checks the
// MD5 sum of what it takes.
package s3

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/orthd/orth/internal/certs"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

const (
	// tries is how often a request is made that did not arrive or was put off.
	tries = 3
	// listed is how many objects are listed at once, the most that stores allow.
	listed = 1000
	// sumKey is where an object keeps the CRC-32C of its data.
	sumKey = "Orth-Crc32c"
)

// Store is a logbook.Blobs. Its methods are safe for concurrent use.
type Store struct {
	config    Config
	client    *minio.Client
	transport *http.Transport
	turns     chan struct{} // holds a token for each request under way
}

// New returns the store of the place, without a request to it: see [Store.Check].
// Kinds: Invalid.
func New(c Config) (*Store, error) {
	if err := c.defaults(); err != nil {
		return nil, err
	}
	transport, err := c.transport()
	if err != nil {
		return nil, err
	}
	client, err := minio.New(c.Place.Endpoint.Host, &minio.Options{
		Creds: c.credentials(transport), Secure: c.Place.Endpoint.Scheme == "https", Region: c.Region,
		Transport: transport, MaxRetries: tries,
	})
	if err != nil {
		return nil, job.Errorf(job.Invalid, "speak to %s: %w", c.Place, err)
	}
	return &Store{config: c, client: client, transport: transport, turns: make(chan struct{}, c.Requests)}, nil
}

func (c *Config) transport() (*http.Transport, error) {
	t := &http.Transport{
		Proxy:       http.ProxyFromEnvironment,
		DialContext: (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		// The bytes that come are those that are stored.
		DisableCompression: true, MaxIdleConnsPerHost: c.Requests, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: 30 * time.Second,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if c.CA != "" {
		known, err := certs.OpenAuthorities("log-s3-ca", c.CA, c.Logger)
		if err != nil {
			return nil, err
		}
		t.TLSClientConfig = certs.Calling(nil, known)
	}
	return t, nil
}

func (c *Config) credentials(transport http.RoundTripper) *credentials.Credentials {
	if c.AccessKey != "" {
		return credentials.NewStaticV4(c.AccessKey, c.SecretKey.Reveal(), "")
	}
	return credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{},
		&credentials.IAM{Client: &http.Client{Transport: transport, Timeout: 5 * time.Second}},
	})
}

// Close ends the idle connections; the store must not be used any more.
func (s *Store) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// Check asks whether the bucket is there and may be used. Kinds: Invalid when it is
// not or the keys are wrong, Unavailable when the store does not answer.
func (s *Store) Check(ctx context.Context) error {
	return s.doRequest(ctx, func(ctx context.Context) error {
		exists, err := s.client.BucketExists(ctx, s.config.Place.Bucket)
		switch {
		case err == nil && exists:
			return nil
		case err == nil || isNoBucket(err):
			return s.noBucket(job.Invalid, err)
		}
		err = s.failed("look at the bucket of", s.config.Place.String(), err)
		if refused, ok := errors.AsType[*job.Error](err); ok && refused.Kind == job.Refused {
			refused.Kind = job.Invalid
			refused.Hint = "check the keys, --log-s3-region and the clock of this machine; the keys must allow to list the bucket, and to get, put and delete its objects"
		}
		return err
	})
}

// doRequest makes one request in its turn and within its time.
func (s *Store) doRequest(ctx context.Context, request func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	select {
	case s.turns <- struct{}{}:
		defer func() { <-s.turns }()
	case <-ctx.Done():
		return ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, s.config.Timeout)
	defer cancel()
	err := request(limited)
	if ended := ctx.Err(); err != nil && ended != nil {
		return ended
	}
	return err
}

// Put stores a blob. Kinds: Conflict when the name has other data. Stores without
// conditional requests let the last of two puts win that store different data under one
// name at the same time.
func (s *Store) Put(ctx context.Context, name string, data []byte) error {
	if err := logbook.CheckBlobName(name); err != nil {
		return err
	}
	sum := fmt.Sprintf("%08x", crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
	return s.doRequest(ctx, func(ctx context.Context) error {
		err := s.putObject(ctx, name, sum, data, true)
		if isUnknown(err) {
			if err = s.checkSame(ctx, name, sum, len(data)); !job.Is(err, job.NotFound) {
				return err
			}
			err = s.putObject(ctx, name, sum, data, false)
		}
		if isTaken(err) {
			if err = s.checkSame(ctx, name, sum, len(data)); job.Is(err, job.NotFound) {
				return job.Errorf(job.Unavailable, "put %s: another request has the same name; try again", name)
			}
			return err
		}
		return s.failed("put", name, err)
	})
}

func (s *Store) putObject(ctx context.Context, name, sum string, data []byte, once bool) error {
	body := newLoan(data)
	defer body.giveBack()
	o := minio.PutObjectOptions{
		ContentType: "application/octet-stream", SendContentMd5: true, DisableMultipart: true,
		UserMetadata: map[string]string{sumKey: sum},
	}
	if once {
		o.SetMatchETagExcept("*")
	}
	_, err := s.client.PutObject(ctx, s.config.Place.Bucket, s.config.Place.Prefix+name, body, int64(len(data)), o)
	return err
}

// checkSame checks that a name that is taken has the very same data.
func (s *Store) checkSame(ctx context.Context, name, sum string, size int) error {
	info, err := s.client.StatObject(ctx, s.config.Place.Bucket, s.config.Place.Prefix+name, minio.StatObjectOptions{})
	if err != nil {
		return s.failed("look at", name, err)
	}
	if info.Size != int64(size) || info.UserMetadata[sumKey] != sum {
		return job.Errorf(job.Conflict, "the blob %s is there already, with other data", name)
	}
	return nil
}

// Get returns size bytes from offset on.
func (s *Store) Get(ctx context.Context, name string, offset, size int64) (data []byte, err error) {
	if err := logbook.CheckBlobName(name); err != nil {
		return nil, err
	}
	if offset < 0 || size < 0 {
		return nil, job.Errorf(job.Invalid, "%d bytes from %d on cannot be read from the blob %s", size, offset, name)
	}
	err = s.doRequest(ctx, func(ctx context.Context) error {
		if size == 0 || offset+size < offset {
			return s.reaches(ctx, name, offset, size)
		}
		data, err = s.readObject(ctx, name, offset, size)
		return err
	})
	return data, err
}

// reaches checks that a blob goes as far as a range that cannot be asked for.
func (s *Store) reaches(ctx context.Context, name string, offset, size int64) error {
	info, err := s.client.StatObject(ctx, s.config.Place.Bucket, s.config.Place.Prefix+name, minio.StatObjectOptions{})
	if err != nil {
		return s.failed("get", name, err)
	}
	if size > 0 || offset > info.Size {
		return tooShort(name, offset, size)
	}
	return nil
}

func (s *Store) readObject(ctx context.Context, name string, offset, size int64) ([]byte, error) {
	var o minio.GetObjectOptions
	if err := o.SetRange(offset, offset+size-1); err != nil {
		return nil, job.Errorf(job.Internal, "ask for a range of the blob %s: %w", name, err)
	}
	core := minio.Core{Client: s.client}
	body, info, _, err := core.GetObject(ctx, s.config.Place.Bucket, s.config.Place.Prefix+name, o)
	if isBeyond(err) {
		return nil, tooShort(name, offset, size)
	}
	if err != nil {
		return nil, s.failed("get", name, err)
	}
	defer body.Close()
	if info.Size != size { // a range is cut at the end of the blob
		return nil, tooShort(name, offset, size)
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(body, data); err != nil {
		return nil, s.failed("get", name, err)
	}
	return data, nil
}

func tooShort(name string, offset, size int64) error {
	return job.Errorf(job.NotFound, "the blob %s has no %d bytes from %d on", name, size, offset)
}

// Delete removes blobs one by one: not every store knows how to remove many at once.
func (s *Store) Delete(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := logbook.CheckBlobName(name); err != nil {
			return err
		}
	}
	for _, name := range names {
		err := s.doRequest(ctx, func(ctx context.Context) error {
			err := s.client.RemoveObject(ctx, s.config.Place.Bucket, s.config.Place.Prefix+name, minio.RemoveObjectOptions{})
			if err = s.failed("remove", name, err); job.Is(err, job.NotFound) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// List visits the blobs, of which it requests a page at a time. It passes over objects
// whose names are none of a blob.
func (s *Store) List(ctx context.Context, visit func(name string, size int64, at time.Time) bool) error {
	for last := ""; ; {
		var page []minio.ObjectInfo
		err := s.doRequest(ctx, func(ctx context.Context) (err error) {
			page, err = s.listPage(ctx, last)
			return s.failed("list", s.config.Place.String(), err)
		})
		if err != nil {
			return err
		}
		for i := range page {
			name := strings.TrimPrefix(page[i].Key, s.config.Place.Prefix)
			if logbook.CheckBlobName(name) == nil && !visit(name, page[i].Size, page[i].LastModified) {
				return nil
			}
			last = page[i].Key
		}
		if len(page) < listed {
			return nil
		}
	}
}

// listPage returns the objects behind one, at most listed.
func (s *Store) listPage(ctx context.Context, after string) ([]minio.ObjectInfo, error) {
	var page []minio.ObjectInfo
	options := minio.ListObjectsOptions{Prefix: s.config.Place.Prefix, Recursive: true, StartAfter: after, MaxKeys: listed}
	for object := range s.client.ListObjectsIter(ctx, s.config.Place.Bucket, options) {
		if object.Err != nil {
			return nil, object.Err
		}
		if page = append(page, object); len(page) == listed {
			break
		}
	}
	return page, ctx.Err() // a stopped iterator returns no error
}
