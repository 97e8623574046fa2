package units

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	tests := []struct {
		parse func(string) (int64, error)
		text  string
		want  int64
	}{
		{ParseTime, "0", 0},
		{ParseTime, "0us", 0},
		{ParseTime, "1.5us", 1_500_000},
		{ParseTime, "1.5 us", 1_500_000},
		{ParseTime, "0.000000000001s", 1},
		{ParseTime, "123456.789ns", 123_456_789},
		{ParseTime, "100000000ns", 100_000_000_000},
		{ParseTime, "8640000s", MaxTime},
		{ParseRate, "100Gbps", 100_000_000_000},
		{ParseRate, "2.5Gbps", 2_500_000_000},
		{ParseRate, "0.4Tbps", 400_000_000_000},
		{ParseRate, "7bps", 7},
		{ParseRate, "100 Gb/s", 100_000_000_000},
		{ParseRate, "100Gbit/s", 100_000_000_000},
		{ParseRate, "100 Mbit/s", 100_000_000},
		{ParseRate, "64kbit/s", 64_000},
		{ParseRate, "64 kbps", 64_000},
		{ParseRate, "7b/s", 7},
		{ParseBytes, "500KB", 500_000},
		{ParseBytes, "1KiB", 1024},
		{ParseBytes, "1.5MiB", 1_572_864},
		{ParseBytes, "32MiB", 33_554_432},
		{ParseBytes, "1GiB", 1 << 30},
		{ParseBytes, "1GB", 1e9},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got, err := tt.parse(tt.text)
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		parse func(string) (int64, error)
		text  string
		want  string
	}{
		{ParseTime, "15", `"15" has no unit; a time needs one of ps, ns, us, ms, s, such as 1.5us`},
		{ParseTime, "", `"" is not a time; write a decimal number and a unit (ps, ns, us, ms, s), such as 1.5us`},
		{ParseTime, "us", `"us" is not a time`},
		{ParseTime, "1..5us", `"1..5us" is not a time`},
		{ParseTime, ".5us", `".5us" is not a time`},
		{ParseTime, "1e3us", `"1e3us" is not a time`},
		{ParseTime, "+1us", `"+1us" is not a time`},
		{ParseTime, "-1us", `"-1us" is negative; a time is 0 or more`},
		{ParseTime, "1.5ps", `"1.5ps" is not a whole number of ps, the smallest unit of a time`},
		{ParseTime, "8640000.000000000001s", `"8640000.000000000001s" is too large; a time is at most 100 days`},
		{ParseTime, "1.5µs", `"1.5µs" has the unit "µs"`},
		{ParseTime, "100Gbps", `"100Gbps" has the unit "Gbps"; a time has one of ps, ns, us, ms, s`},
		{ParseRate, "100GB", `"100GB" has the unit "GB"; a rate has one of bps, Kbps, Mbps, Gbps, Tbps, such as 100Gbps`},
		{ParseRate, "-5Gbps", `"-5Gbps" is negative; a rate is 0 or more`},
		{ParseRate, "0.5bps", `is not a whole number of bps`},
		{ParseBytes, "0.1B", `is not a whole number of B`},
		{ParseBytes, "500kB", `has the unit "kB"; a size has one of B, KB, KiB, MB, MiB, GB, GiB`},
		{ParseBytes, "99999999999999999999GB", `is too large`},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			_, err := tt.parse(tt.text)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestFormat(t *testing.T) {
	assert.Equal(t, "0ps", FormatTime(0))
	assert.Equal(t, "1.5us", FormatTime(1_500_000))
	assert.Equal(t, "12.90001us", FormatTime(12_900_010))
	assert.Equal(t, "700us", FormatTime(700*Microsecond))
	assert.Equal(t, "-2ns", FormatTime(-2000))
	assert.Equal(t, "100Gbps", FormatRate(100e9))
	assert.Equal(t, "2.5Gbps", FormatRate(25e8))
	assert.Equal(t, "1518B", FormatBytes(1518))
	assert.Equal(t, "500KB", FormatBytes(500_000))
	assert.Equal(t, "1.5KB", FormatBytes(1500))
	assert.Equal(t, "32MiB", FormatBytes(32<<20))
	assert.Equal(t, "4KiB", FormatBytes(4096))
	assert.Equal(t, "32MB", FormatBytes(32_000_000))
}

func TestFormatParsesBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		value := rng.Int64N(1e18) >> rng.IntN(60)
		for _, pair := range []struct {
			format func(int64) string
			parse  func(string) (int64, error)
		}{{FormatTime, ParseTime}, {FormatRate, ParseRate}, {FormatBytes, ParseBytes}} {
			got, err := pair.parse(pair.format(value))
			require.NoError(t, err)
			require.Equal(t, value, got)
		}
	}
}

func TestSerializationTime(t *testing.T) {
	tests := []struct{ bytes, rate, want int64 }{
		{64, 400e9, 1280},      // 1.28 ns
		{1518, 100e9, 121_440}, // 121.44 ns
		{1, 3e9, 2667},         // 2666.67 up
		{1, 16e12, 1},          // 0.5 ps: ties go up
		{1, 17e12, 0},
		{1 << 40, 1e9, 8796093022208000},
		{1e15, 1e9, 8e18},    // needs 128 bits on the way
		{1e15, 1, 1<<63 - 1}, // does not fit
		{math.MaxInt64, 1e18, 73786976294838},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, SerializationTime(tt.bytes, tt.rate), "%d B at %d bit/s", tt.bytes, tt.rate)
	}
}

func TestNumber(t *testing.T) {
	tests := []struct{ text, want, err string }{
		{"0.50", "0.5", ""}, {"-3", "-3", ""}, {"1e-6", "0.000001", ""}, {"2.5E3", "2500", ""}, {"1.5us", "1.5us", ""}, {"100 Gbps", "100Gbps", ""}, {"3KiB", "3KiB", ""},
		{"fast", "", "not a number"}, {"1Gbs", "", `the unit "Gbs"`}, {"1e999", "", "not a number"}, {"", "", "not a number"},
	}
	for _, tt := range tests {
		n, err := ParseNumber(tt.text)
		if tt.err != "" {
			require.ErrorContains(t, err, tt.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, tt.want, n.String())
	}
}

func TestNumberInAnotherUnit(t *testing.T) {
	number := func(text string) Number {
		n, err := ParseNumber(text)
		require.NoError(t, err)
		return n
	}
	for _, tt := range [][3]string{{"1.5us", "1ns", "1500ns"}, {"1KB", "1KiB", "0.9765625KiB"}, {"0", "1us", "0us"}, {"2", "7", "2"}} {
		value, err := number(tt[0]).In(number(tt[1]))
		require.NoError(t, err)
		assert.Equal(t, tt[2], number(tt[1]).With(value).String())
	}
	for _, tt := range [][2]string{{"1us", "1KB"}, {"1", "1KB"}, {"1us", "1"}} {
		_, err := number(tt[0]).In(number(tt[1]))
		require.ErrorContains(t, err, "not of the same kind")
	}
}
