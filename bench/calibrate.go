package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"
)

// calibration is what the machine can do at this minute.
type calibration struct {
	syncs           float64 // 4 KiB overwrites made durable, a second
	trips1, trips16 float64 // HTTP round trips on loopback, a second, with 1 and 16 connections
}

func (c calibration) String() string {
	return fmt.Sprintf("%.0f syncs/s, %.0f and %.0f HTTP round trips/s with 1 and 16 connections (client and server in one process)",
		c.syncs, c.trips1, c.trips16)
}

const calibrationWindow = 1500 * time.Millisecond

func calibrate(dir string) (c calibration, err error) {
	if c.syncs, err = syncRate(filepath.Join(dir, "calibration")); err != nil {
		return c, fmt.Errorf("calibrate the disk: %w", err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"code":200,"msg":"Success"}`)
	}))
	defer server.Close()
	if c.trips1, err = tripRate(server.URL, 1); err != nil {
		return c, fmt.Errorf("calibrate the network: %w", err)
	}
	if c.trips16, err = tripRate(server.URL, 16); err != nil {
		return c, fmt.Errorf("calibrate the network: %w", err)
	}
	return c, nil
}

func syncRate(path string) (float64, error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close(); _ = os.Remove(path) }()
	page := make([]byte, 4096)
	if _, err := f.Write(bytes.Repeat(page, 64)); err != nil {
		return 0, err
	}
	if err := f.Sync(); err != nil {
		return 0, err
	}
	n, start := 0, time.Now()
	for ; time.Since(start) < calibrationWindow; n++ {
		if _, err := f.WriteAt(page, int64(n%64)*4096); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(start).Seconds(), nil
}

func tripRate(url string, connections int) (float64, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	defer client.CloseIdleConnections()
	body := bytes.Repeat([]byte("x"), 612)
	var n atomic.Int64
	var failed atomic.Pointer[error]
	start := time.Now()
	var callers sync.WaitGroup
	for range connections {
		callers.Go(func() {
			for time.Since(start) < calibrationWindow {
				resp, err := client.Post(url, "application/json", bytes.NewReader(body))
				if err != nil {
					failed.Store(&err)
					return
				}
				_, _ = io.Copy(io.Discard, resp.Body)
				_ = resp.Body.Close()
				n.Add(1)
			}
		})
	}
	callers.Wait()
	if err := failed.Load(); err != nil {
		return 0, *err
	}
	return float64(n.Load()) / time.Since(start).Seconds(), nil
}
