package s3

import (
	"context"
	"errors"
	"net/http"

	"github.com/minio/minio-go/v7"

	"github.com/orthd/orth/job"
)

// answer returns the store's answer that an error is; one without a status when
// none came.
func answer(err error) minio.ErrorResponse {
	var said minio.ErrorResponse
	_ = errors.As(err, &said) // none is the zero answer
	return said
}

// isTaken reports that a conditional request failed because the name is taken, or because
// another request is about to take it.
func isTaken(err error) bool {
	said := answer(err)
	return said.Code == minio.PreconditionFailed || said.StatusCode == http.StatusPreconditionFailed ||
		said.Code == "ConditionalRequestConflict"
}

// isUnknown: the store does not know conditional requests.
func isUnknown(err error) bool {
	said := answer(err)
	return said.StatusCode == http.StatusNotImplemented || said.Code == "NotImplemented"
}

func isNoBucket(err error) bool { return answer(err).Code == minio.NoSuchBucket }

// isBeyond: the range begins behind the end.
func isBeyond(err error) bool {
	return answer(err).StatusCode == http.StatusRequestedRangeNotSatisfiable
}

func (s *Store) noBucket(kind job.Kind, cause error) error {
	e := job.Errorf(kind, "%s has no bucket %s", s.config.Place.Endpoint.String(), s.config.Place.Bucket)
	e.Hint = "make it there, for Orth makes no buckets, with the rights to list it and to get, put and delete its objects; some stores say this to keys that they do not know, too"
	e.Err = cause
	return e
}

// failed adds the kind to an error of a store. An error that has one keeps it.
func (s *Store) failed(what, name string, err error) error {
	if err == nil {
		return nil
	}
	if _, known := errors.AsType[*job.Error](err); known {
		return err
	}
	if isNoBucket(err) {
		return s.noBucket(job.Unavailable, err)
	}
	kind, said := job.Unavailable, answer(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return job.Errorf(kind, "%s %s: the store has not answered within %s", what, name, s.config.Timeout)
	case said.StatusCode == 0: // no answer
	case isFull(said):
		kind = job.Full
	case said.StatusCode == http.StatusNotFound:
		kind = job.NotFound
	case said.StatusCode == http.StatusRequestTimeout, said.StatusCode == http.StatusTooManyRequests:
	case said.StatusCode == http.StatusConflict:
		// Another request changes the same object at this moment.
	case said.StatusCode < http.StatusInternalServerError:
		kind = job.Refused
	}
	if said.Code != "" {
		return job.Errorf(kind, "%s %s: the store answers %s: %w", what, name, said.Code, err)
	}
	return job.Errorf(kind, "%s %s: %w", what, name, err)
}

// isFull reports whether a store has no room. The codes are those of MinIO, of Ceph and of
// stores that follow them.
func isFull(said minio.ErrorResponse) bool {
	switch said.Code {
	case "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "QuotaExceeded", "InsufficientCapacity", "InsufficientStorage":
		return true
	}
	return said.StatusCode == http.StatusInsufficientStorage
}
