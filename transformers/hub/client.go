package hub

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gotorch/gotorch/internal/plain"
)

const maxRedirects = 10

// transport keeps connections for all calls. It never decompresses, so that sizes and
// positions are those of the file.
var transport = func() *http.Transport {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, IdleConnTimeout: 90 * time.Second}
	if usual, ok := http.DefaultTransport.(*http.Transport); ok { // a program may have replaced it
		t = usual.Clone()
	}
	t.DisableCompression = true
	t.MaxIdleConnsPerHost = 16
	return t
}()

// client sends requests for a repository.
type client struct {
	r    *repo
	http http.Client
}

func newClient(r *repo) *client {
	c := &client{r: r}
	c.http.Transport = transport
	c.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}

// response is an answer. Its body ends with an error if no bytes come for the timeout.
type response struct {
	*http.Response
	url *url.URL
}

// body reads a response and ends the request if no bytes come.
type body struct {
	io.ReadCloser
	ctx     context.Context //nolint:containedctx // of the request that the body ends
	timer   *time.Timer
	timeout time.Duration
	cancel  context.CancelCauseFunc
}

var errStalled = errors.New("no bytes came for the timeout")

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	b.timer.Reset(b.timeout)
	defer b.timer.Stop() // the program may take its time between two reads
	n, err := b.ReadCloser.Read(p)
	if err != nil && context.Cause(b.ctx) == errStalled { //nolint:errorlint // set by the timer
		err = errStalled
	}
	return n, err
}

// Close implements io.Closer.
func (b *body) Close() error {
	b.timer.Stop()
	err := b.ReadCloser.Close()
	b.cancel(nil)
	return err
}

// once sends a request and returns the answer, without following a redirect. The token goes
// only to the origin of the endpoint.
func (c *client) once(ctx context.Context, method string, to *url.URL, from int64) (*response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(c.r.timeout, func() { cancel(errStalled) })
	fail := func(err error) (*response, error) {
		timer.Stop()
		if cause := context.Cause(ctx); cause == errStalled { //nolint:errorlint // set above
			err = cause
		}
		cancel(nil)
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, to.String(), nil)
	if err != nil {
		return fail(err)
	}
	req.Header.Set("User-Agent", "gotorch-hub/1")
	req.Header.Set("Accept-Encoding", "identity")
	if from > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(from, 10)+"-")
	}
	if c.r.token != "" && sameOrigin(to, c.r.base) {
		req.Header.Set("Authorization", "Bearer "+c.r.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return fail(err)
	}
	resp.Body = &body{resp.Body, ctx, timer, c.r.timeout, cancel}
	return &response{resp, to}, nil
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// follow sends a request and follows redirects until stop returns true for an answer.
func (c *client) follow(ctx context.Context, method, to string, from int64,
	stop func(*response) bool,
) (*response, error) {
	at, err := url.Parse(to)
	if err != nil {
		return nil, err
	}
	for range maxRedirects {
		resp, err := c.once(ctx, method, at, from)
		if err != nil {
			return nil, err
		}
		location := resp.Header.Get("Location")
		if resp.StatusCode/100 != 3 || location == "" || stop != nil && stop(resp) {
			return resp, nil
		}
		_ = resp.Body.Close() // the answer is not used
		next, err := at.Parse(location)
		if err != nil || next.Scheme != "http" && next.Scheme != "https" || next.Host == "" {
			return nil, &Error{Kind: ErrResponse, Detail: "a redirect to something other than a web page"}
		}
		at = next
	}
	return nil, &Error{Kind: ErrResponse, Detail: "more than " + strconv.Itoa(maxRedirects) + " redirects"}
}

// get is follow with retries. It returns only successful answers, and errors about file.
func (c *client) get(ctx context.Context, method, to, file string, stop func(*response) bool) (*response, error) {
	for attempt := 0; ; attempt++ {
		resp, err := c.follow(ctx, method, to, 0, stop)
		if err = c.judge(ctx, resp, err, to, file); err == nil {
			return resp, nil
		}
		if attempt >= c.r.retries || !mayPass(err) {
			return nil, err
		}
		if err := c.wait(ctx, attempt, resp, file); err != nil {
			return nil, err
		}
	}
}

// mayPass reports whether the next attempt may succeed.
func mayPass(err error) bool { return errors.Is(err, ErrUnavailable) }

// judge returns an error for an answer that is not successful; it closes its body.
func (c *client) judge(ctx context.Context, resp *response, err error, to, file string) error {
	r := c.r
	if ended := r.ended(ctx, file); ended != nil {
		if resp != nil {
			_ = resp.Body.Close()
		}
		return ended
	}
	if err != nil {
		e := r.fail(file, ErrUnavailable, "")
		e.Err, e.URL = withoutQuery(err), plainURL(to)
		var own *Error
		if errors.As(err, &own) { // of follow
			e.Kind, e.Detail, e.Err = own.Kind, own.Detail, nil
		}
		return e
	}
	if resp.StatusCode/100 == 2 || resp.StatusCode/100 == 3 {
		return nil
	}
	_ = resp.Body.Close()
	e := r.fail(file, kindOf(resp, r), "%s", clip(resp.Header.Get("X-Error-Message")))
	e.Status, e.URL, e.commit = resp.StatusCode, plainURL(resp.url.String()), resp.Header.Get("X-Repo-Commit")
	return e
}

// kindOf returns the kind of error for a status.
func kindOf(resp *response, r *repo) error {
	switch resp.Header.Get("X-Error-Code") {
	case "RevisionNotFound":
		return ErrRevisionNotFound
	case "EntryNotFound":
		return ErrFileNotFound
	case "GatedRepo":
		return ErrGated
	case "RepoNotFound":
		return ErrRepoNotFound
	}
	switch s := resp.StatusCode; {
	case s == http.StatusUnauthorized && sameOrigin(resp.url, r.base) &&
		resp.Header.Get("X-Error-Message") != "Invalid credentials in Authorization header":
		return ErrRepoNotFound // the hub's answer for repositories that do not exist or are private
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		return ErrUnauthorized
	case s == http.StatusNotFound:
		return ErrNotFound
	case s == http.StatusRequestTimeout || s == http.StatusTooManyRequests || s/100 == 5:
		return ErrUnavailable
	}
	return ErrResponse
}

// wait waits before an attempt, as long as the hub says or the settings say.
func (c *client) wait(ctx context.Context, attempt int, resp *response, file string) error {
	delay := c.r.delay << min(attempt, 3)
	if resp != nil && c.r.delay > 0 {
		if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && s >= 0 && s <= 300 {
			delay = time.Duration(s) * time.Second
		}
	}
	if delay <= 0 {
		return c.r.ended(ctx, file)
	}
	t := time.NewTimer(delay)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return c.r.ended(ctx, file)
	}
}

// plainURL returns a URL without its query, which may be a signature, and without a password.
func plainURL(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}
	u.RawQuery, u.User, u.Fragment = "", nil, ""
	return u.String()
}

// withoutQuery removes the URL from an error of package http, because errors say it anyway.
func withoutQuery(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// clip makes text of a server short enough for an error, and escapes it.
func clip(s string) string {
	if len(s) > 200 {
		s = s[:200] + "…"
	}
	return plain.Text(s)
}
