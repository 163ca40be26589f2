package distributed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"syscall"

	"github.com/gotorch/gotorch/torch"
)

// listen returns a socket that listens on an address, for libtorch. libtorch's own socket
// would listen on all interfaces.
func listen(ctx context.Context, op, host, port string) (fd, bound int, err error) {
	at, err := interfaceOf(ctx, op, host)
	if err != nil {
		return -1, 0, err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(at, port))
	if err != nil {
		return -1, 0, listenError(ctx, op, net.JoinHostPort(host, port), err)
	}
	defer l.Close() // this closes only Go's copy of the socket, not the returned one
	raw, err := l.(*net.TCPListener).SyscallConn()
	if err == nil {
		failed := raw.Control(func(own uintptr) {
			syscall.ForkLock.RLock()
			defer syscall.ForkLock.RUnlock()
			if fd, err = syscall.Dup(int(own)); err == nil {
				syscall.CloseOnExec(fd)
			}
		})
		err = errors.Join(failed, err)
	}
	if err != nil {
		return -1, 0, &Error{Op: op, Kind: ErrNetwork, Rank: -1, Detail: err.Error(), Err: err}
	}
	return fd, l.Addr().(*net.TCPAddr).Port, nil
}

// interfaceOf returns the host's IP address for a server to listen on. It returns "", for
// all interfaces, if the name has no address of this machine, or only one that other
// machines cannot reach. Examples are Debian's 127.0.1.1 and the localhost that Kubeflow
// gives rank 0.
func interfaceOf(ctx context.Context, op, host string) (string, error) {
	if net.ParseIP(host) != nil {
		return host, nil
	}
	ips, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil {
		if ctx.Err() != nil {
			return "", contextError(op, ctx.Err())
		}
		return "", &Error{Op: op, Kind: ErrEnvironment, Rank: -1, Detail: err.Error(), Err: err}
	}
	for _, ip := range ips {
		if !ip.IP.IsLoopback() && isLocalIP(ip.IP) {
			return ip.String(), nil
		}
	}
	if host == "localhost" && os.Getenv("KUBERNETES_SERVICE_HOST") == "" {
		return ips[0].String(), nil
	}
	return "", nil
}

// isLocalIP reports whether this machine has the address.
func isLocalIP(ip net.IP) bool {
	own, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(own, func(a net.Addr) bool {
		n, is := a.(*net.IPNet)
		return is && n.IP.Equal(ip)
	})
}

// listenError returns the error for an address that a server cannot listen on.
func listenError(ctx context.Context, op, address string, err error) error {
	switch {
	case ctx.Err() != nil:
		return contextError(op, ctx.Err())
	case errors.Is(err, syscall.EADDRINUSE):
		return &Error{Op: op, Kind: ErrInUse, Rank: -1, Detail: err.Error(), Err: err}
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return &Error{Op: op, Kind: ErrEnvironment, Rank: -1, Err: err, Detail: fmt.Sprintf(
			"%s is not an address of this machine; use one that is, or 0.0.0.0 to listen on all interfaces", address)}
	}
	return &Error{Op: op, Kind: ErrNetwork, Rank: -1, Detail: err.Error(), Err: err}
}

func hostPort(op, address string, server bool) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil || host == "" || port < 0 || port > 65535 || port == 0 && !server {
		return "", 0, argumentError(op, torch.ErrValue, "address", "expected host:port, got %.200q", address)
	}
	return host, port, nil
}
