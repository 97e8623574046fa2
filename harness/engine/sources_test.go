package engine

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBuildIDFollowsSourcesFlagsAndVersions(t *testing.T) {
	v := Version{Engine: "ns3", EngineVersion: "3.37", Compiler: "g++ 12", BuildType: "Release", Flags: "-O3"}
	sources := map[string]string{Base: "a", "hpcc": "b"}
	ids := map[string]bool{BuildID(sources, v): true}
	for _, change := range []func(*Version){
		func(v *Version) { v.EngineVersion = "3.38" },
		func(v *Version) { v.Compiler = "g++ 13" },
		func(v *Version) { v.BuildType = "Debug" },
		func(v *Version) { v.Flags = "-O2" },
		func(v *Version) { v.Libraries = "0123" },
	} {
		w := v
		change(&w)
		ids[BuildID(sources, w)] = true
	}
	ids[BuildID(map[string]string{Base: "a", "hpcc": "c"}, v)] = true
	ids[BuildID(map[string]string{Base: "a", "fncc": "b"}, v)] = true
	ids[BuildID(map[string]string{Base: "a"}, v)] = true
	assert.Len(t, ids, 9)
}

func TestARunUsesItsMechanismsAndWhatTheyInclude(t *testing.T) {
	s := Sources{
		Hash:  map[string]string{Base: "0", "hpcc": "1", "fncc": "2", "ecmp": "3", "dre": "4"},
		Needs: map[string][]string{"fncc": {"hpcc"}, Base: {"ecmp"}, "ecmp": {Base}},
		Of:    map[string]string{"fncc": "fncc", "fncc_int": "fncc", "hpcc": "hpcc", "ecmp": "ecmp", "dre": "dre"},
	}
	assert.Equal(t, map[string]string{Base: "0", "ecmp": "3", "hpcc": "1"}, s.Used([]string{"hpcc", "ecmp"}))
	assert.Equal(t, map[string]string{Base: "0", "ecmp": "3", "hpcc": "1", "fncc": "2"}, s.Used([]string{"fncc", "fncc_int"}))
	assert.Equal(t, s.Hash, s.Used([]string{"hpcc", "made_by_a_macro"}), "nobody knows where it is described")
	s.Unclear = []string{"hpcc"}
	assert.Equal(t, s.Hash, s.Used([]string{"fncc"}), "nobody knows what hpcc includes")
	assert.Len(t, s.Used([]string{"dre"}), 3)

	p := &Program{Sources: s, Version: Version{Engine: "ns3"}, BuildID: "all"}
	dre, hpcc := p.For([]string{"dre"}), p.For([]string{"hpcc"})
	assert.NotEqual(t, dre.BuildID, hpcc.BuildID)
	s.Hash["hpcc"] = "changed"
	assert.Equal(t, dre.BuildID, p.For([]string{"dre"}).BuildID)
	assert.NotEqual(t, hpcc.BuildID, p.For([]string{"hpcc"}).BuildID)
	assert.Equal(t, "all", (&Program{BuildID: "all"}).For([]string{"dre"}).BuildID)
}
