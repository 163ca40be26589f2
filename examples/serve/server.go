package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// newServer limits time and memory to what an honest client needs.
func newServer(s *service) *http.Server {
	const read, write = 15 * time.Second, 15 * time.Second
	return &http.Server{
		Handler:           s.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       read,
		WriteTimeout:      read + s.timeout + write, // counts from the end of the header
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
		ConnState:         s.clients.changed,
	}
}

// shutdown answers every client that has connected, and ends the server. The server's own
// Shutdown drops connections that it has not accepted yet, and requests that it reads after
// the call.
func (s *service) shutdown(ctx context.Context, server *http.Server, listener net.Listener) error {
	s.ending.Store(true) // from now on every answer closes its connection
	sleep(ctx, s.grace)
	// Connections are accepted in order. When a new one has its answer, all earlier ones
	// have been accepted.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+listener.Addr().String()+"/healthz", nil)
	if err != nil {
		return err
	}
	if response, err := client.Do(request); err == nil {
		_ = response.Body.Close()
	}
	_ = listener.Close() // Shutdown reports the error too
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

// clients counts the connections that have sent no request yet, and those with a request
// that is being read or answered.
type clients struct {
	mu   sync.Mutex
	open map[net.Conn]bool
}

// changed is the server's ConnState function.
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
