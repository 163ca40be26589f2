package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// server is a server process that load has started.
type server struct {
	cmd *exec.Cmd
	url string
}

// start starts a server on a free port. The server writes to this program's standard error.
func start(ctx context.Context, command []string) (*server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	addr := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	_, port, _ := strings.Cut(addr, ":")
	fill := strings.NewReplacer("HOST:PORT", addr, "PORT", port)
	args := make([]string, len(command))
	for i, arg := range command {
		args[i] = fill.Replace(arg)
	}
	s := &server{url: "http://" + addr, cmd: exec.CommandContext(ctx, args[0], args[1:]...)}
	s.cmd.Stderr = os.Stderr
	// The server gets SIGTERM first, and is killed if it is still running a few seconds
	// later.
	s.cmd.Cancel = func() error { return s.cmd.Process.Signal(syscall.SIGTERM) }
	s.cmd.WaitDelay = 10 * time.Second
	return s, s.cmd.Start()
}

// stop ends the server.
func (s *server) stop() {
	_ = s.cmd.Cancel()
	err := s.cmd.Wait()
	if status, ok := s.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signal() == syscall.SIGTERM {
		return // ended by the signal
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load: the server ended with", err)
	}
}
