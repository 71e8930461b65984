package s3

import (
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// Config describes the place of blobs and the protocol of the store.
type Config struct {
	// Place is where the blobs are; see [ParsePlace].
	Place Place
	// Region is the bucket's. Defaults to the one that the store returns.
	Region string
	// AccessKey and SecretKey sign requests. Default to those of
	// AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, else of the AWS credentials file,
	// else of the machine's role.
	AccessKey string
	SecretKey redacted.Text
	// CA is a PEM file with the authorities that the store's certificate is checked
	// with. Defaults to the machine's.
	CA string
	// Timeout bounds one request with its repetitions. Defaults to 60 s.
	Timeout time.Duration
	// Requests bounds those that are under way at once; further callers wait.
	// Defaults to 8.
	Requests int
	// Logger defaults to none.
	Logger *slog.Logger
}

// Place is a bucket, and what the names of its blobs begin with.
type Place struct {
	// Endpoint is the URL of the store without a path.
	Endpoint url.URL
	Bucket   string
	// Prefix is empty, or ends with a "/".
	Prefix string
}

// String returns the place as it is written.
func (p Place) String() string {
	return strings.TrimSuffix(p.Endpoint.String()+"/"+p.Bucket+"/"+p.Prefix, "/")
}

// ParsePlace reads https://host[:port]/bucket[/prefix]; field names the text in the
// error, which never shows a password that stands in it.
func ParsePlace(field, text string) (Place, error) {
	const shape = "it is https://host[:port]/bucket/prefix"
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return Place{}, job.FieldErrorf(field, "it is no URL: %s", shape)
	case u.User != nil:
		return Place{}, job.FieldErrorf(field, "a URL with a name or a password in it is not taken: give the keys by --log-s3-access-key and --log-s3-secret-key-file")
	case u.Scheme != "https" && u.Scheme != "http", u.Hostname() == "", u.RawQuery != "", u.Fragment != "":
		return Place{}, job.FieldErrorf(field, "%q is not the place of a bucket: %s", text, shape)
	}
	bucket, prefix, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if bucket == "" {
		return Place{}, job.FieldErrorf(field, "%q names no bucket: %s", text, shape)
	}
	if err := s3utils.CheckValidBucketNameStrict(bucket); err != nil {
		return Place{}, job.FieldErrorf(field, "%q cannot be the name of a bucket: %w", bucket, err)
	}
	if prefix != "" {
		if logbook.CheckBlobName(prefix) != nil {
			return Place{}, job.FieldErrorf(field, "the prefix %q is not made of letters, digits, '-', '_' and '.', with '/' between its parts", prefix)
		}
		prefix += "/"
	}
	return Place{Endpoint: url.URL{Scheme: u.Scheme, Host: u.Host}, Bucket: bucket, Prefix: prefix}, nil
}

func (c *Config) defaults() error {
	if c.Timeout <= 0 {
		c.Timeout = time.Minute
	}
	if c.Requests <= 0 {
		c.Requests = 8
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	switch {
	case c.Place.Bucket == "":
		return job.Errorf(job.Invalid, "a store of blobs in S3 needs the place of a bucket")
	case c.CA != "" && c.Place.Endpoint.Scheme != "https":
		return job.Errorf(job.Invalid, "authorities are given for %s, which is not encrypted", c.Place)
	case (c.AccessKey == "") != c.SecretKey.IsZero():
		return job.Errorf(job.Invalid, "an access key and a secret key for %s belong together, and only one of them is there", c.Place)
	}
	return nil
}
