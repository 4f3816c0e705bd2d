#include "model/GpuCatalogue.h"
#include "support/Catch.h"

using namespace streammap;

namespace {

double peak(const GpuModel &model, FlopType type) {
  return model.peak[static_cast<std::size_t>(type)].value();
}

} // namespace

TEST_CASE("every model is complete, has a source, and is found by its own name") {
  for (const std::string &name : catalogueNames()) {
    INFO(name);
    std::optional<GpuModel> model = catalogueModel(name);
    REQUIRE(model);
    CHECK(model->name == name);
    CHECK_FALSE(model->source.empty());
    CHECK(model->memoryBandwidth.value() > 0);
    CHECK(peak(*model, FlopType::fp64) > 0);
    CHECK(peak(*model, FlopType::fp32) > peak(*model, FlopType::fp64));
    CHECK(peak(*model, FlopType::integer) > 0);
    CHECK(peak(*model, FlopType::special) > 0);
    if (model->isCpu())
      continue;
    CHECK(model->memory >= gibibytes(8));
    CHECK(model->power > watts(50));
    CHECK(model->l2 >= mebibytes(3));
    CHECK_FALSE(model->capability.empty());
  }
}

TEST_CASE("printed fp32 rates agree with multiprocessors and clock") {
  // special = 16 x multiprocessors x clock (all architectures of the catalogue), fp32 = 2 x width x
  // multiprocessors x clock.
  for (const std::string &name : catalogueNames()) {
    std::optional<GpuModel> model = catalogueModel(name);
    if (model->isCpu())
      continue;
    INFO(name);
    double width = model->capability < "8.6" && model->capability != "10.0" ? 64 : 128;
    if (model->capability == "8.0")
      width = 64;
    if (model->capability == "10.0")
      width = 128;
    CHECK(peak(*model, FlopType::fp32) ==
          Approx(2 * width / 16 * peak(*model, FlopType::special)).epsilon(0.02));
  }
}

TEST_CASE("the figures of the H100 are those of its datasheet") {
  std::optional<GpuModel> model = catalogueModel("H100-SXM5-80GB");
  REQUIRE(model);
  CHECK(peak(*model, FlopType::fp32) == Approx(66.9e12));
  CHECK(peak(*model, FlopType::fp16) == Approx(133.8e12).epsilon(0.001));
  CHECK(peak(*model, FlopType::tensor) == Approx(989.4e12));
  CHECK(model->memory == gibibytes(80));
  CHECK(model->multiprocessors == 132);
  CHECK(model->power == watts(700));
}

TEST_CASE("names are found whatever their case and blanks") {
  CHECK(catalogueModel("h100-sxm5-80gb")->name == "H100-SXM5-80GB");
  CHECK(catalogueModel("RTX 4090")->name == "RTX-4090");
  CHECK(catalogueModel("cpu")->isCpu());
  CHECK_FALSE(catalogueModel("H100"));
}

TEST_CASE("a wrong name brings the nearest ones") {
  CHECK(nearestCatalogueNames("H100") ==
        std::vector<std::string>{"H100-SXM5-80GB", "H100-PCIe-80GB", "H100-NVL-94GB"});
  CHECK(nearestCatalogueNames("H100-SMX5-80GB").at(0) == "H100-SXM5-80GB");
  CHECK(nearestCatalogueNames("Voodoo2 at night").empty());
}

TEST_CASE("the design's families are all there") {
  for (std::string_view prefix :
       {"H100",     "H200",     "H800",      "A100",      "A800",      "B200",
        "GB200",    "L40S",     "L40",       "L4",        "A40",       "A30",
        "A10",      "V100",     "P100",      "T4",        "RTX-4090",  "RTX-4000",
        "RTX-5000", "RTX-6000", "RTX-A4000", "RTX-A5000", "RTX-A6000", "Quadro-RTX-6000",
        "cpu"}) {
    INFO(prefix);
    std::size_t found = 0;
    for (const std::string &name : catalogueNames())
      found += isModel(*catalogueModel(name), prefix);
    CHECK(found > 0);
  }
}

TEST_CASE("asking for a model means its whole name or its first words") {
  GpuModel model = *catalogueModel("A100-SXM4-80GB");
  CHECK(isModel(model, "A100"));
  CHECK(isModel(model, "a100-sxm4"));
  CHECK(isModel(model, "A100-SXM4-80GB"));
  CHECK_FALSE(isModel(model, "A10"));
  CHECK_FALSE(isModel(model, "A100-SXM4-80GB-X"));
  CHECK_FALSE(isModel(model, ""));
}

TEST_CASE("capabilities compare as versions") {
  GpuModel model;
  model.capability = "8.10";
  CHECK(hasCapability(model, "8.9"));
  CHECK_FALSE(hasCapability(model, "9.0"));
  model.capability = "10.0";
  CHECK(hasCapability(model, "9.0"));
  model.capability.clear();
  CHECK_FALSE(hasCapability(model, "1.0"));
}
