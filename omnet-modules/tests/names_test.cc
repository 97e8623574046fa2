// Values survive the way through NED exactly.
#include "omnet-modules/src/names.h"

#include <gtest/gtest.h>
#include <omnetpp.h>

#include <random>

#include "mechanisms/core/types.h"
#include "omnet-modules/src/parameters.h"

namespace fabriclab {
namespace {

using fabric::ParamType;

double inUnit(const std::string& text, const char* unit) {
  return omnetpp::cNedValue::parseQuantity(text.c_str(), unit);
}

TEST(Names, NedForms) {
  EXPECT_EQ(camelCase("w_ai"), "wAi");
  EXPECT_EQ(nedType("hpcc_int"), "HpccInt");
  EXPECT_EQ(nedValue(ParamType::Time, int64_t{12253440}), "12253440ps");
  EXPECT_EQ(nedValue(ParamType::Time, int64_t{1500000}), "1500ns");
  EXPECT_EQ(nedValue(ParamType::Time, int64_t{0}), "0s");
  EXPECT_EQ(nedValue(ParamType::Rate, int64_t{400000000000}), "400Gbps");
  EXPECT_EQ(nedValue(ParamType::Bytes, int64_t{1518}), "1518B");
  EXPECT_EQ(nedValue(ParamType::Float, 0.95), "0.95");
  EXPECT_EQ(std::stod(nedValue(ParamType::Float, 1.0 / 3)), 1.0 / 3);
  EXPECT_EQ(nedValue(ParamType::Choice, std::string("a\"b")), "\"a\\\"b\"");
}

TEST(Names, ListsAreStrings) {
  const fabric::NumberList curve{{0, 0}, {1, 1e10 / 3}};
  const fabric::Param& p = *fabric::Registry::find("bandwidth_function")->find("curve");
  EXPECT_STREQ(nedForm(p.type).type, "string");
  const std::string text = nedValue(p.type, curve);
  EXPECT_EQ(text, "\"[[0,0],[1,3333333333.3333335]]\"");
  EXPECT_EQ(fabric::fromText(p, text.substr(1, text.size() - 2)), fabric::Value(curve));
}

TEST(Names, EveryPicosecondSurvives) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200000; ++i) {
    const auto ps = static_cast<int64_t>(random() >> (14 + random() % 50));  // up to 2^50
    const double seconds = inUnit(nedValue(ParamType::Time, ps), "s");
    ASSERT_EQ(wholeNumber(seconds, 1e12, "ps", "t"), ps);
    ASSERT_EQ(omnetpp::SimTime(seconds).raw(), ps);  // what a channel makes of its delay
  }
}

TEST(Names, FractionsAreRefused) {
  EXPECT_THROW(wholeNumber(1.5e-12, 1e12, "ps", "t"), omnetpp::cRuntimeError);
  EXPECT_EQ(wholeNumber(1.5e-6, 1e12, "ps", "t"), 1500000);
}

/// A frame is sent with the model's duration, so that a channel's own arithmetic cannot differ; for the
/// rates of real links it does not anyway.
TEST(Names, ChannelsAgreeWithTheModel) {
  for (const int64_t gbps : {1, 10, 25, 40, 50, 100, 200, 400, 800}) {
    for (int64_t bytes = 1; bytes <= 9216; ++bytes) {
      const double datarate = static_cast<double>(gbps) * 1e9;
      ASSERT_EQ(omnetpp::SimTime(static_cast<double>(bytes * 8) / datarate).raw(),
                fabric::transmissionTime(bytes, fabric::Rate::Gbps(gbps)).ps)
          << bytes << " B at " << gbps << " Gb/s";
    }
  }
}

}  // namespace
}  // namespace fabriclab
