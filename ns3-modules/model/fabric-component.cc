/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-component.h"

#include "fabric-network.h"

#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/integer.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <numeric>
#include <vector>

namespace ns3
{
namespace fabric
{

NS_OBJECT_ENSURE_REGISTERED(FabricMechanism);

namespace
{

/// How ns-3 holds values of a type.
struct Native
{
    core::Value (*read)(const core::Param&, const AttributeValue&);
    Ptr<AttributeValue> (*write)(const core::Value&);
    Ptr<const AttributeChecker> (*checker)(const core::Param&);
};

template <class T>
T
Least(const core::Param& p)
{
    return std::get<T>(p.min);
}

template <class T>
T
Most(const core::Param& p)
{
    return std::get<T>(p.max);
}

/// Types that ns-3 has no values of, such as choices and lists, are strings.
const Native&
NativeOf(core::ParamType type)
{
    using core::Param;
    using core::ParamType;
    using core::Value;
    static const std::map<ParamType, Native> native{
        {ParamType::Bool,
         {[](const Param&, const AttributeValue& v) -> Value {
              return dynamic_cast<const BooleanValue&>(v).Get();
          },
          [](const Value& v) -> Ptr<AttributeValue> {
              return Create<BooleanValue>(std::get<bool>(v));
          },
          [](const Param&) { return MakeBooleanChecker(); }}},
        {ParamType::Int,
         {[](const Param&, const AttributeValue& v) -> Value {
              return dynamic_cast<const IntegerValue&>(v).Get();
          },
          [](const Value& v) -> Ptr<AttributeValue> {
              return Create<IntegerValue>(std::get<int64_t>(v));
          },
          [](const Param& p) {
              return MakeIntegerChecker<int64_t>(Least<int64_t>(p), Most<int64_t>(p));
          }}},
        {ParamType::Float,
         {[](const Param&, const AttributeValue& v) -> Value {
              return dynamic_cast<const DoubleValue&>(v).Get();
          },
          [](const Value& v) -> Ptr<AttributeValue> {
              return Create<DoubleValue>(std::get<double>(v));
          },
          [](const Param& p) {
              return MakeDoubleChecker<double>(Least<double>(p), Most<double>(p));
          }}},
        {ParamType::Time,
         {[](const Param&, const AttributeValue& v) -> Value {
              return dynamic_cast<const TimeValue&>(v).Get().GetPicoSeconds();
          },
          [](const Value& v) -> Ptr<AttributeValue> {
              return Create<TimeValue>(PicoSeconds(std::get<int64_t>(v)));
          },
          // Without bounds: they would be converted at static-initialisation time, when the
          // resolution is still ns-3's default. The component checks the range.
          [](const Param&) { return MakeTimeChecker(); }}},
        {ParamType::Rate,
         {[](const Param&, const AttributeValue& v) -> Value {
              return static_cast<int64_t>(dynamic_cast<const DataRateValue&>(v).Get().GetBitRate());
          },
          [](const Value& v) -> Ptr<AttributeValue> {
              return Create<DataRateValue>(DataRate(std::get<int64_t>(v)));
          },
          [](const Param&) { return MakeDataRateChecker(); }}},
        {ParamType::Bytes,
         {[](const Param&, const AttributeValue& v) -> Value {
              return static_cast<int64_t>(dynamic_cast<const UintegerValue&>(v).Get());
          },
          [](const Value& v) -> Ptr<AttributeValue> {
              return Create<UintegerValue>(std::get<int64_t>(v));
          },
          [](const Param& p) {
              return MakeUintegerChecker<uint64_t>(Least<int64_t>(p), Most<int64_t>(p));
          }}},
    };
    static const Native text{
        [](const Param& p, const AttributeValue& v) -> Value {
            return core::fromText(p, dynamic_cast<const StringValue&>(v).Get());
        },
        [](const Value& v) -> Ptr<AttributeValue> { return Create<StringValue>(core::toText(v)); },
        [](const Param&) { return MakeStringChecker(); }};
    const auto it = native.find(type);
    return it == native.end() ? text : it->second;
}

/// Reads and writes one parameter of whatever component the object holds.
class ParamAccessor : public AttributeAccessor
{
  public:
    explicit ParamAccessor(const core::Param& param)
        : m_param(param)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto* holder = dynamic_cast<ComponentHolder*>(object);
        if (holder == nullptr)
        {
            return false;
        }
        try
        {
            FabricNetwork::SyncEngine();
            holder->GetComponent().set(m_param, NativeOf(m_param.type).read(m_param, value));
        }
        catch (const core::ParamError& e)
        {
            std::cerr << e.what()
                      << std::endl; // ns-3 itself only says which attribute could not be set
            return false;
        }
        catch (const std::bad_cast&)
        {
            return false;
        }
        return true;
    }

    bool Get(const ObjectBase* object, AttributeValue& attribute) const override
    {
        const auto* holder = dynamic_cast<const ComponentHolder*>(object);
        return holder != nullptr && attribute.DeserializeFromString(
                                        ToAttribute(m_param, holder->GetComponent().get(m_param))
                                            ->SerializeToString(nullptr),
                                        nullptr);
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    const core::Param& m_param;
};

std::string
HelpText(const core::Param& p)
{
    std::string text = p.help;
    if (!p.unit.empty() && p.unit != "1")
    {
        text += " [" + p.unit + "]";
    }
    if (!p.choices.empty())
    {
        text += " (one of:";
        for (const auto& c : p.choices)
        {
            text += " " + c;
        }
        text += ")";
    }
    for (const core::Axis& a : p.axes)
    {
        text += (&a == &p.axes.front() ? " (list of: " : ", ") + a.name +
                (a.unit == "1" ? "" : " [" + a.unit + "]");
    }
    text += p.axes.empty() ? "" : ")";
    return text + ". Source: " + p.source + (p.live ? "" : ". Fixed once the simulation runs.");
}

/// Every mechanism's description by the name of its TypeId.
std::map<std::string, const core::Description*>&
Mechanisms()
{
    static std::map<std::string, const core::Description*> all;
    return all;
}

/// Makes the TypeIds when the program starts, after the module's mechanisms have registered
/// themselves. Those of the program itself follow later.
struct RegisterMechanisms
{
    RegisterMechanisms()
    {
        FabricMechanism::RegisterTypes();
    }
} g_registerMechanisms;

/// How many letters have to be changed, added or left out to make one word of the other.
size_t
Distance(const std::string& a, const std::string& b)
{
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (size_t i = 0; i < a.size(); ++i)
    {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j)
        {
            const size_t changed = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

} // namespace

std::string
CamelCase(const std::string& snakeCase)
{
    std::string out;
    bool upper = true;
    for (const char c : snakeCase)
    {
        if (c == '_')
        {
            upper = true;
            continue;
        }
        out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = false;
    }
    return out;
}

Ptr<AttributeValue>
ToAttribute(const core::Param& param, const core::Value& value)
{
    return NativeOf(param.type).write(value);
}

TypeId
AddComponentAttributes(TypeId tid, const core::Description& description)
{
    for (const core::Param& p : description.params)
    {
        tid = tid.AddAttribute(CamelCase(p.name),
                               HelpText(p),
                               *ToAttribute(p, p.def),
                               Ptr<const AttributeAccessor>(new ParamAccessor(p), false),
                               NativeOf(p.type).checker(p));
    }
    return tid;
}

TypeId
FabricMechanism::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::fabric::FabricMechanism").SetParent<Object>().SetGroupName("Fabric");
    return tid;
}

std::string
FabricMechanism::TypeName(const std::string& component)
{
    return "ns3::fabric::" + CamelCase(component);
}

void
FabricMechanism::RegisterTypes()
{
    for (const core::Description* d : core::Registry::all())
    {
        const std::string name = TypeName(d->name);
        if (d->kind == core::Kind::Node || !Mechanisms().emplace(name, d).second)
        {
            continue;
        }
        TypeId tid = TypeId(name.c_str())
                         .SetParent<FabricMechanism>()
                         .SetGroupName("Fabric")
                         .AddConstructor<FabricMechanism>();
        AddComponentAttributes(tid, *d);
    }
}

TypeId
FabricMechanism::Find(const std::string& name, core::Kind kind)
{
    RegisterTypes();
    TypeId tid;
    if (TypeId::LookupByNameFailSafe(name, &tid))
    {
        return tid;
    }
    std::string nearest;
    std::string known;
    for (const auto& [type, description] : Mechanisms())
    {
        if (!(description->kind == kind))
        {
            continue;
        }
        known += (known.empty() ? "" : ", ") + type;
        if (nearest.empty() || Distance(name, type) < Distance(name, nearest))
        {
            nearest = type;
        }
    }
    NS_FATAL_ERROR("there is no type " << name << "; did you mean " << nearest << "? Known are "
                                       << known);
}

FabricMechanism::FabricMechanism(const FabricMechanism& other)
    : Object(other),
      ComponentHolder(other)
{
    const core::Component& model = other.GetComponent();
    m_component = model.description().create();
    for (const core::Param& p : model.description().params)
    {
        p.store(*m_component, p.load(model));
    }
}

core::Component&
FabricMechanism::GetComponent() const
{
    if (!m_component)
    {
        const std::string name = GetInstanceTypeId().GetName();
        const auto it = Mechanisms().find(name);
        if (it == Mechanisms().end())
        {
            NS_FATAL_ERROR(
                name
                << " is not a mechanism; create one with an ObjectFactory, by its TypeId name");
        }
        m_component = it->second->create();
    }
    return *m_component;
}

} // namespace fabric
} // namespace ns3
