package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// newServer returns a server with time and memory limits that are just enough for a
// client that behaves normally.
func newServer(s *service, handler http.Handler) *http.Server {
	const read, write = 15 * time.Second, 15 * time.Second
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       read,
		WriteTimeout:      read + s.timeout + write, // the time counts from the end of the request's header
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
}

// serveAdmin starts the server of adminHandler at its own address, if there is one. stop ends
// the server.
func (s *service) serveAdmin(ctx context.Context, out io.Writer) (stop func() error, err error) {
	if s.admin == "" {
		return func() error { return nil }, nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", s.admin)
	if err != nil {
		return nil, err
	}
	server := newServer(s, s.adminHandler())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Print("admin: ", err)
		}
	}()
	fmt.Fprintf(out, "serve: metrics and profiles on http://%s\n", listener.Addr())
	return func() error {
		err := server.Close()
		<-ended
		return err
	}, nil
}

// shutdown answers every client that has connected, and then ends the server. On its own,
// http.Server's method Shutdown would drop connections that it has not accepted yet, and
// requests that arrive during the call.
func (s *service) shutdown(ctx context.Context, server *http.Server, listener net.Listener) error {
	s.ending.Store(true) // from now on every response closes its connection
	sleep(ctx, s.grace)
	// Connections are accepted in order. So when a new connection has received a
	// response, all earlier connections have been accepted.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listener.Addr().String()+"/healthz", nil)
	if err != nil {
		return err
	}
	if response, err := client.Do(request); err == nil {
		_ = response.Body.Close()
	}
	_ = listener.Close() // Shutdown reports this error too
	for s.clients.busy() && ctx.Err() == nil {
		sleep(ctx, 10*time.Millisecond)
	}
	return server.Shutdown(ctx)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// clients counts two kinds of connections: connections that have not sent a request yet,
// and connections whose request is being read or answered.
type clients struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

// changed is called when the state of a connection changes (http.Server.ConnState).
func (c *clients) changed(connection net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if state != http.StateNew && state != http.StateActive {
		delete(c.open, connection)
		return
	}
	if c.open == nil {
		c.open = map[net.Conn]bool{}
	}
	c.open[connection] = true
}

func (c *clients) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) > 0
}
