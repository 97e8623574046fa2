package workload

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"fabriclab/harness/scenario"
)

// ends are the flows' sources and destinations, as number:src>dst.
func ends(t *testing.T, g Generator) (list []string) {
	t.Helper()
	for _, f := range flowList(t, g, 1) {
		list = append(list, fmt.Sprintf("%d:%d>%d", f.ID, f.Src, f.Dst))
	}
	return list
}

// TestRanges: a row with ranges is the rows that it stands for, written out.
func TestRanges(t *testing.T) {
	for text, want := range map[string][]string{
		"src,dst,size,start\nh[0..1],h2,1KB,0us\nh3,h4,1KB,0us\n":                       {"0:0>2", "1:1>2", "2:3>4"},
		"src,dst,size,start\nh[0..2],h[0..2],1KB,0us\n":                                 {"0:0>1", "1:0>2", "2:1>0", "3:1>2", "4:2>0", "5:2>1"},
		"src,dst,size,start,join\nh[0..1],h[2..3],1KB,0us,pairs\nh0,h3,9B,0us,\n":       {"0:0>2", "1:1>3", "2:0>3"},
		"src,dst,size,start,join\nh[0..1],h[2..3],1KB,0us,all\n":                        {"0:0>2", "1:0>3", "2:1>2", "3:1>3"},
		"src,dst,size,start,join\nh[0..1],h2,1KB,0us,pairs\nh2,h[0..1],1KB,0us,pairs\n": {"0:0>2", "1:1>2", "2:2>0", "3:2>1"},
		"flow,src,dst,size,start\n[7..8],h[0..1],h2,1KB,0us\n5,h0,h1,1KB,1ps\n":         {"7:0>2", "8:1>2", "5:0>1"},
	} {
		file, err := open(t, text)
		require.NoError(t, err, text)
		assert.Equal(t, want, ends(t, file), text)
	}
	long, err := open(t, "src,dst,size,start,class,group,weight\nh[0..1],h[0..1],3KB,2ps,0,7,0.5\n")
	require.NoError(t, err)
	short, err := open(t, "src,dst,size,start,class,group,weight\nh0,h1,3KB,2ps,0,7,0.5\nh1,h0,3KB,2ps,0,7,0.5\n")
	require.NoError(t, err)
	assert.Equal(t, flowList(t, short, 1), flowList(t, long, 1), "ports and all else too")
}

// TestRangesOfMessages: messages of a row wait for all of a range, or by pairs
// each for its own.
func TestRangesOfMessages(t *testing.T) {
	d, err := openDAG(t, "id,src,dst,size,after,join\n"+
		"up[0..2],h[0..2],h9,1KB,,\n"+ // 0 to 2
		"root,h9,,,up[0..2]+1us,\n"+ // 3
		"down[0..2],h9,h[0..2],1KB,root,\n"+ // 4 to 6
		"work[0..2],h[0..2],,,down[0..2],pairs\n"+ // 7 to 9
		"next[0..2],h[0..2],h[3..5],1KB,work[0..2],pairs\n") // 10 to 12
	require.NoError(t, err)
	flows := flowList(t, d, 1)
	on := func(ids ...uint32) (list []scenario.Dependency) {
		for _, id := range ids {
			list = append(list, scenario.Dependency{On: id})
		}
		return list
	}
	assert.Equal(t, []string{"0:0>9", "1:1>9", "2:2>9", "3:9>9", "4:9>0", "5:9>1", "6:9>2", "7:0>0", "8:1>1", "9:2>2", "10:0>3", "11:1>4", "12:2>5"}, ends(t, d))
	assert.Equal(t, "down1", d.Names()[5])
	assert.Equal(t, []scenario.Dependency{{On: 0, DelayPs: 1e6}, {On: 1, DelayPs: 1e6}, {On: 2, DelayPs: 1e6}}, flows[3].After)
	assert.Equal(t, on(3), flows[5].After)
	assert.Equal(t, on(5), flows[8].After)
	assert.Equal(t, on(9), flows[12].After)

	numbered, err := openDAG(t, "flow,src,dst,size,after\n[1..2],h1,h[2..3],1KB,0\n0,h0,h1,1KB,\n")
	require.NoError(t, err)
	assert.Equal(t, []string{"0:0>1", "1:1>2", "2:1>3"}, ends(t, numbered))
	assert.Equal(t, on(0), flowList(t, numbered, 1)[2].After)
}

func TestRangesRefuse(t *testing.T) {
	many := filepath.Join(t.TempDir(), "many.csv")
	require.NoError(t, os.WriteFile(many, []byte("src,dst,size,start\nh[0..30000],h[0..30000],1KB,0us\n"), 0o644))
	_, err := OpenFile(many, hostNumber, rules)
	require.ErrorContains(t, err, "many.csv:2:1: src: each of 30001 hosts to each of 30001 are more than 2000000 flows")

	const header = "src,dst,join,size,start\n"
	for text, want := range map[string]string{
		header + "h0,h1,,1KB,0us\nh[0..1],x[2..3],,1KB,0us\n":                   `flows.csv:3:9: dst: there is no host "x2"`,
		header + "h[3..1],h0,,1KB,0us\n":                                        `flows.csv:2:1: src: "h[3..1]": 3 stands behind 1; write the range the other way round`,
		header + "h[0..1],h[2..4],pairs,1KB,0us\n":                              `flows.csv:2:17: join: 2 nodes and 3 make no pairs; name as many of both, or join all with all`,
		header + "h[0..1],h[1..2],both,1KB,0us\n":                               `flows.csv:2:17: join: "both" is none of all, pairs`,
		header + "h[0..1],h[0..1],pairs,1KB,0us\n":                              `flows.csv:2:9: dst: source and destination are the same host`,
		"flow,src,dst,size,start\n[0..2],h[0..1],h2,1KB,0us\n":                  `flows.csv:2:1: flow: there are 3 of them for 2 flows, which this row stands for; name as many, such as [0..5]`,
		"flow,src,dst,size,start\n[0..1],h[0..1],h2,1KB,0us\n1,h1,h2,1KB,0us\n": `flows.csv:3:1: flow: 1 is the number of a flow above, too`,
	} {
		_, err := open(t, text)
		require.ErrorContains(t, err, want, text)
	}
	for text, want := range map[string]string{
		"id,src,dst,size\na,h[0..1],h2,1KB\n":                                                               `messages.csv:2:1: id: there are 1 of them for 2 flows, which this row stands for; name as many, such as a[0..5]`,
		"id,src,dst,size,after,join\na,h0,h1,1KB,,\nb[0..1],h1,h[2..3],1KB,a c[0..1],\n":                    `messages.csv:3:24: after: there is no message "c0"`,
		"id,src,dst,size,after,join\na[0..2],h0,h[1..3],1KB,,\nb[0..1],h[1..2],h[5..6],1KB,a[0..2],pairs\n": `messages.csv:3:29: after: "a[0..2]" are 3 messages, and this row stands for 2; by pairs, name as many`,
		"id,src,dst,size,after\na[0..1],h0,h[1..2],1KB,\nb[0..1],h[1..2],h3,1KB,a[0..1]\n":                  `messages.csv:3:24: after: "a1" neither comes to the source of "b0" nor leaves it`,
		"id,src,dst,size\na[0..1],h[0..1],h2,1KB\na1,h0,h1,1KB\n":                                           `messages.csv:3:1: id: "a1" is the message of`,
	} {
		_, err := openDAG(t, text)
		assert.ErrorContains(t, err, want, text)
	}
}
