package emptycache

import (
	"github.com/gotorch/gotorch/memory"
	"github.com/gotorch/gotorch/torch"
)

func intended(n int) {
	for range n {
		memory.EmptyCache() //torchvet:ignore emptycache what it costs is measured
		memory.EmptyCache() // want `memory.EmptyCache in every iteration`
		//torchvet:ignore emptycache what it costs is measured
		memory.EmptyCache()
		memory.EmptyCache() // want `memory.EmptyCache in every iteration`

		//torchvet:ignore looptensor another reason
		//torchvet:ignore zerograd,emptycache what it costs is measured
		// at great length
		memory.EmptyCache()

		//torchvet:ignore emptycache too far above

		memory.EmptyCache() // want `memory.EmptyCache in every iteration`
	}
	for range n {
		torch.Scope(func() { //torchvet:ignore emptycache after other code, for this line alone
			memory.EmptyCache() // want `memory.EmptyCache in every iteration`
		}) //torchvet:ignore emptycache after other code, for this line alone
		memory.EmptyCache() // want `memory.EmptyCache in every iteration`
		//torchvet:ignore emptycache on the line of the report, not of the statement
		torch.Scope(func() {
			memory.EmptyCache() // want `memory.EmptyCache in every iteration`
		})
	}
}

func otherwise(n int) {
	for range n {
		memory.EmptyCache() //torchvet:ignore looptensor another check // want `memory.EmptyCache in every iteration`
		memory.EmptyCache() //torchvet:ignore emptycache,nosuch it is measured // want `memory.EmptyCache in every iteration`
		memory.EmptyCache() /* want `memory.EmptyCache in every iteration` */ //torchvet:ignore emptycache
		memory.EmptyCache() // torchvet:ignore emptycache a sentence // want `memory.EmptyCache in every iteration`
		memory.EmptyCache() //torchvet:ignored emptycache another directive // want `memory.EmptyCache in every iteration`
	}
}
