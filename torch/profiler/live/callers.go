package live

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/gotorch/gotorch/torch"
)

// callers are the names that requests may call the server by, beside those of the machine
// itself. A browser sends the name in the address of the page or the link, which a stranger
// may have resolve to anything.
type callers struct {
	any   bool
	hosts []string
}

func newCallers(op string, hosts Hosts) (c callers) {
	for _, h := range hosts {
		if h == "" {
			panic(torch.NewError(op, torch.ErrValue, "Hosts", "an empty host"))
		}
		c.any = c.any || h == AnyHost
		c.hosts = append(c.hosts, canonical(h))
	}
	return c
}

// refuse says why a request is refused, or returns "".
func (c callers) refuse(r *http.Request) string {
	if !c.allows(r.Host) {
		return "this host is not allowed: call the server by localhost, or name the host in live.Hosts"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || !c.allows(u.Host) {
			return "this origin is not allowed: name its host in live.Hosts"
		}
		return ""
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return ""
	}
	return "a page of another site has asked: open the address itself"
}

func (c callers) allows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = canonical(host)
	return c.any || local(host) || slices.Contains(c.hosts, host)
}

// canonical is a host as all ways to write it are compared.
func canonical(host string) string {
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if at, err := netip.ParseAddr(host); err == nil {
		return at.Unmap().String()
	}
	return host
}

func local(host string) bool {
	at, err := netip.ParseAddr(host)
	return err == nil && at.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}
