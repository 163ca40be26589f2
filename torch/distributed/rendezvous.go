package distributed

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"

	native "github.com/gotorch/gotorch/cgotorch/c10d"
	"github.com/gotorch/gotorch/torch"
)

// meeting holds the rank, the number of ranks and the store through which the ranks find each
// other.
type meeting struct {
	rank, world int
	store       *Store
	agentRank   string // the rank in the store of torchrun's agent, or ""
	storeHost   int    // the rank of the store's server, or -1
	storeIsUsed bool   // the store may have keys of earlier processes
}

// mostRanks is more than any program uses, and small enough to allocate lists of ranks.
const mostRanks = 1 << 20

// newMeeting gets the rank, the number of ranks and a store from the init method or the
// environment. Options take precedence.
func newMeeting(ctx context.Context, op string, s *settings) (*meeting, error) {
	method := "env://"
	if s.method != nil {
		method = string(*s.method)
	}
	u, err := url.Parse(method)
	if err != nil {
		return nil, argumentError(op, torch.ErrValue, "InitMethod", "%v", err)
	}
	m := &meeting{rank: s.rank, world: s.world, storeHost: -1}
	for key, to := range map[string]*int{"rank": &m.rank, "world_size": &m.world} {
		if text := u.Query().Get(key); text != "" && *to < 0 {
			if *to, err = strconv.Atoi(text); err != nil {
				return nil, argumentError(op, torch.ErrValue, "InitMethod", "%s is %.80q, expected a number", key, text)
			}
		}
	}
	switch u.Scheme {
	case "env":
		err = m.readEnv(ctx, op, s.timeout)
	case "tcp":
		if u.Hostname() == "" || u.Port() == "" {
			return nil, argumentError(op, torch.ErrValue, "InitMethod", "expected tcp://host:port, got %.200q", method)
		}
		if err = m.checkCounts(op); err == nil {
			err = m.connect(ctx, op, u.Host, s.timeout)
		}
	case "file":
		if u.Path == "" {
			return nil, argumentError(op, torch.ErrValue, "InitMethod", "expected file:///path, got %.200q", method)
		}
		if err = m.checkCounts(op); err == nil {
			m.store, err = NewFileStore(u.Path, m.world)
		}
	default:
		return nil, argumentError(op, torch.ErrValue, "InitMethod",
			"expected env://, tcp://host:port or file:///path, got %.200q", method)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// checkCounts checks that the rank and the number of ranks are known and valid.
func (m *meeting) checkCounts(op string) error {
	switch {
	case m.rank < 0:
		return &Error{Op: op, Kind: ErrEnvironment, Rank: -1, Detail: "the rank is unknown; set RANK (torchrun, " +
			"Kubeflow), SLURM_PROCID, ?rank= of the init method or distributed.Rank"}
	case m.world < 1:
		return &Error{Op: op, Kind: ErrEnvironment, Rank: -1, Detail: "the number of ranks is unknown; set " +
			"WORLD_SIZE (torchrun, Kubeflow), SLURM_NTASKS, ?world_size= of the init method or distributed.WorldSize"}
	case m.world > mostRanks:
		return argumentError(op, torch.ErrValue, "WorldSize", "expected at most %d ranks, got %d", mostRanks, m.world)
	case m.rank >= m.world:
		return argumentError(op, torch.ErrValue, "Rank", "invalid rank %d of %d; ranks begin at 0", m.rank, m.world)
	}
	return nil
}

// readEnv reads the variables of torchrun and Kubeflow or, if these are not set, of
// Slurm.
func (m *meeting) readEnv(ctx context.Context, op string, timeout time.Duration) error {
	for _, v := range []struct {
		to    *int
		names []string
	}{
		{&m.rank, []string{"RANK", "SLURM_PROCID"}},
		{&m.world, []string{"WORLD_SIZE", "SLURM_NTASKS"}},
	} {
		if *v.to >= 0 {
			continue
		}
		n, err := envNumber(op, -1, v.names...)
		if err != nil {
			return err
		}
		*v.to = n
	}
	if err := m.checkCounts(op); err != nil {
		return err
	}
	host := os.Getenv("MASTER_ADDR")
	if host == "" {
		host = firstHost(os.Getenv("SLURM_JOB_NODELIST"))
	}
	if host == "" {
		return &Error{
			Op: op, Kind: ErrEnvironment, Rank: m.rank, World: m.world,
			Detail: "MASTER_ADDR, the address of rank 0's machine, is not set",
		}
	}
	port, err := envNumber(op, -1, "MASTER_PORT")
	if err != nil {
		return err
	}
	if port < 0 {
		if os.Getenv("SLURM_JOB_ID") == "" {
			return &Error{
				Op: op, Kind: ErrEnvironment, Rank: m.rank, World: m.world,
				Detail: "MASTER_PORT, a free port of rank 0's machine, is not set",
			}
		}
		port = 29500
	}
	return m.connect(ctx, op, net.JoinHostPort(host, strconv.Itoa(port)), timeout)
}

// connect opens the store over TCP. Rank 0 runs the server, unless torchrun's agent runs one.
func (m *meeting) connect(ctx context.Context, op string, address string, timeout time.Duration) error {
	agent := os.Getenv("TORCHELASTIC_USE_AGENT_STORE") == "True"
	if !agent {
		m.storeHost = 0
	}
	server := !agent && m.rank == 0
	// The server need not wait for the other ranks here: connecting the group waits for them later, and
	// can report missing ranks or different sizes. Lazy connections do not wait, so then the server
	// waits here.
	wait := WaitForWorkers(!server || native.LazyGloo())
	store, err := NewTCPStore(ctx, address, IsMaster(server), WorldSize(m.world), Timeout(timeout), wait)
	if err != nil {
		return withOp(err, op, m.rank, m.world)
	}
	m.store = store
	if agent {
		if err := m.freshKeys(op); err != nil {
			return err
		}
		m.agentRank = fmt.Sprint(address, " ", m.rank)
		return m.prefix("group_", agentGroups.count(m.agentRank))
	}
	return nil
}

// agentGroups counts the groups that this process has joined in the store of torchrun's agent. The
// store outlives the groups, so each group needs its own keys.
var agentGroups nameCounts

// nameCounts counts how often each name was added.
type nameCounts struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *nameCounts) count(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n[name]
}

func (c *nameCounts) add(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[name]++
}

// prefix adds name and n as a prefix to all keys in the store. It adds none if n is 0, because
// Python ranks use the keys without a prefix.
func (m *meeting) prefix(name string, n int) error {
	if n == 0 {
		return nil
	}
	store, err := NewPrefixStore(name+strconv.Itoa(n), m.store)
	if err != nil {
		return err
	}
	_ = m.store.Close() // store keeps the underlying store open
	m.store = store
	return nil
}

// freshKeys avoids keys that earlier processes left in torchrun's store before a restart: addresses
// that do not answer, and news of their end. If one agent has started all ranks, each start gets
// its own keys. If there are several agents, each counts its own starts, so the ranks use the old
// keys, as in Python. torchrun may then have to restart the ranks once more.
func (m *meeting) freshKeys(op string) error {
	starts, err := envNumber(op, 0, "TORCHELASTIC_RESTART_COUNT")
	if err != nil || starts == 0 && os.Getenv("GROUP_WORLD_SIZE") == "1" {
		return err
	}
	if os.Getenv("LOCAL_WORLD_SIZE") != os.Getenv("WORLD_SIZE") {
		m.storeIsUsed = true
		return nil
	}
	return m.prefix("attempt_", starts)
}

// envNumber returns the value of the first variable in names that is set, or fallback if none is.
func envNumber(op string, fallback int, names ...string) (int, error) {
	for _, name := range names {
		text := os.Getenv(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return 0, &Error{
				Op: op, Kind: ErrEnvironment, Rank: -1,
				Detail: name + " is " + strconv.Quote(text) + ", expected a number",
			}
		}
		return n, nil
	}
	return fallback, nil
}

var hosts = regexp.MustCompile(`^([^,\[]*)(?:\[([^\],-]*))?`)

// firstHost returns the first name in Slurm's list of nodes, such as gpu07 for
// "gpu[07-09,12],cpu1".
func firstHost(list string) string {
	m := hosts.FindStringSubmatch(list)
	return m[1] + m[2]
}

// LocalRank returns the number of this process on its machine: LOCAL_RANK, which torchrun sets, or
// else SLURM_LOCALID, or else fallback. If the value is not a number, it returns an error of kind
// ErrEnvironment. Follows get_node_local_rank.
func LocalRank(fallback int) (int, error) {
	return envNumber("distributed.LocalRank", fallback, "LOCAL_RANK", "SLURM_LOCALID")
}

// IsTorchElasticLaunched reports whether torchrun started this process. Follows
// is_torchelastic_launched.
func IsTorchElasticLaunched() bool { return os.Getenv("TORCHELASTIC_RUN_ID") != "" }
