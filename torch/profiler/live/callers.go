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

// callers are the host names by which requests may address the server, in addition to the
// names of the local machine. A browser sends the name from the address of the page or
// link. An attacker can make such a name resolve to any address.
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

// refuse returns the reason to refuse a request, or "" to accept it.
func (c callers) refuse(r *http.Request) string {
	if !c.allows(r.Host) {
		return "this host is not allowed; use localhost, or add the host to live.Hosts"
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || !c.allows(u.Host) {
			return "this origin is not allowed; add its host to live.Hosts"
		}
		return ""
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return ""
	}
	return "this request comes from a page of another site; open the address directly"
}

func (c callers) allows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = canonical(host)
	return c.any || local(host) || slices.Contains(c.hosts, host)
}

// canonical returns a host in lower case, without brackets and final dot, so that two
// spellings of the same host are equal.
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
