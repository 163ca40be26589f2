package directive

func work() {}

func faulty() {
	/* want `names no check and no reason` */ //torchvet:ignore
	work()
	work() /* want `torchvet:ignore emptycache gives no reason` */          //torchvet:ignore emptycache
	work() /* want `torchvet:ignore emptycache,zerograd gives no reason` */ //torchvet:ignore emptycache,zerograd
	work() //torchvet:ignore nosuch it is measured // want `names "nosuch", which is not a check`
	work() //torchvet:ignore emptycache,nosuch it is measured // want `names "nosuch", which is not a check`
	work() //torchvet:ignore emptycache, zerograd it is measured // want `names "", which is not a check`
	work() //torchvet:ignore directive it is measured // want `names "directive", which is not a check`
}

func right() {
	work() //torchvet:ignore emptycache it is measured
	//torchvet:ignore looptensor,zerograd	nothing here is reported, nor is this
	work()
	//torchvet:ignored is another directive
	// torchvet:ignore and this is a sentence
	const text = `
//torchvet:ignore
`
}
