package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"

	"golang.org/x/sys/unix"
)

// caller is one connection of a load: it has one request under way at a time.
type caller struct {
	fd     int
	form   *form
	answer []byte // what has been read of the answer
}

// serve sends with so many connections while there is more to send. One goroutine serves them all
// and asks the kernel itself which have an answer: a goroutine for each, parked
// and woken for each answer, would cost as much as the executor.
func (l *load) serve(ctx context.Context, connections int, more func() bool) error {
	poll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(poll) }()
	callers := make(map[int32]*caller, connections)
	defer func() {
		for _, c := range callers {
			_ = unix.Close(c.fd)
		}
	}()
	for range connections {
		c, err := l.dial(poll)
		if err != nil {
			return err
		}
		callers[int32(c.fd)] = c
		if err := l.ask(c); err != nil {
			return err
		}
	}
	events := make([]unix.EpollEvent, connections)
	buffer := make([]byte, 16<<10)
	waiting := connections
	for waiting > 0 {
		n, err := unix.EpollWait(poll, events, 5000)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return err
		case n == 0:
			return errors.New("no answer for five seconds")
		case ctx.Err() != nil:
			return ctx.Err()
		}
		for _, event := range events[:n] {
			c := callers[event.Fd]
			whole, err := l.read(c, buffer)
			switch {
			case err != nil:
				return err
			case !whole:
			case !more():
				waiting--
			default:
				if err := l.ask(c); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (l *load) dial(poll int) (*caller, error) {
	form, err := newForm()
	if err != nil {
		return nil, err
	}
	host, text, err := net.SplitHostPort(l.address)
	if err != nil {
		return nil, err
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		return nil, err
	}
	to := &unix.SockaddrInet4{Port: port}
	copy(to.Addr[:], net.ParseIP(host).To4())
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		unix.Connect(fd, to), unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1),
		unix.EpollCtl(poll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}),
	)
	if err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return &caller{fd: fd, form: form}, nil
}

func (l *load) ask(c *caller) error {
	l.next++
	request := c.form.fill(l.next, l.jobs)
	n, err := unix.Write(c.fd, request)
	if err == nil && n < len(request) {
		err = errors.New("a request did not fit the connection")
	}
	return err
}

// read takes what there is of an answer and reports whether it is whole.
func (l *load) read(c *caller, buffer []byte) (bool, error) {
	n, err := unix.Read(c.fd, buffer)
	if err != nil {
		return false, err
	}
	if n == 0 {
		return false, errors.New("the executor has closed a connection")
	}
	c.answer = append(c.answer, buffer[:n]...)
	head, body, found := bytes.Cut(c.answer, []byte("\r\n\r\n"))
	if !found {
		return false, nil
	}
	length, err := lengthOf(head)
	if err != nil {
		return false, err
	}
	if len(body) < length {
		return false, nil
	}
	if bytes.Contains(body, []byte(`"code":200`)) {
		l.accepted++
	} else {
		l.refused++
	}
	c.answer = c.answer[:0]
	return true, nil
}

func lengthOf(head []byte) (int, error) {
	const name = "content-length:"
	i := bytes.Index(bytes.ToLower(head), []byte(name))
	if i < 0 {
		return 0, fmt.Errorf("an answer without a length: %q", head)
	}
	line, _, _ := bytes.Cut(head[i+len(name):], []byte("\r"))
	return strconv.Atoi(string(bytes.TrimSpace(line)))
}
