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

#include <cctype>
#include <iostream>
#include <map>

namespace ns3
{
namespace fabric
{

NS_OBJECT_ENSURE_REGISTERED(FabricMechanism);

namespace
{

core::Value
FromAttribute(const core::Param& param, const AttributeValue& value)
{
    switch (param.type)
    {
    case core::ParamType::Bool:
        return dynamic_cast<const BooleanValue&>(value).Get();
    case core::ParamType::Int:
        return dynamic_cast<const IntegerValue&>(value).Get();
    case core::ParamType::Float:
        return dynamic_cast<const DoubleValue&>(value).Get();
    case core::ParamType::Time:
        return dynamic_cast<const TimeValue&>(value).Get().GetPicoSeconds();
    case core::ParamType::Rate:
        return static_cast<int64_t>(dynamic_cast<const DataRateValue&>(value).Get().GetBitRate());
    case core::ParamType::Bytes:
        return static_cast<int64_t>(dynamic_cast<const UintegerValue&>(value).Get());
    case core::ParamType::Choice:
        return dynamic_cast<const StringValue&>(value).Get();
    }
    return int64_t{0};
}

Ptr<const AttributeChecker>
MakeChecker(const core::Param& p)
{
    const auto integer = [](const core::Value& v) { return std::get<int64_t>(v); };
    switch (p.type)
    {
    case core::ParamType::Bool:
        return MakeBooleanChecker();
    case core::ParamType::Int:
        return MakeIntegerChecker<int64_t>(integer(p.min), integer(p.max));
    case core::ParamType::Float:
        return MakeDoubleChecker<double>(std::get<double>(p.min), std::get<double>(p.max));
    case core::ParamType::Time:
        // Without bounds: they would be converted at static-initialisation time, when the
        // resolution is still ns-3's default. The component checks the range.
        return MakeTimeChecker();
    case core::ParamType::Rate:
        return MakeDataRateChecker();
    case core::ParamType::Bytes:
        return MakeUintegerChecker<uint64_t>(integer(p.min), integer(p.max));
    case core::ParamType::Choice:
        return MakeStringChecker();
    }
    return nullptr;
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
            holder->GetComponent().set(m_param, FromAttribute(m_param, value));
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
    return text + ". Source: " + p.source + (p.live ? "" : ". Fixed once the simulation runs.");
}

/// Every mechanism's description by the name of its TypeId.
const std::map<std::string, const core::Description*>&
Mechanisms()
{
    static const std::map<std::string, const core::Description*> all = [] {
        std::map<std::string, const core::Description*> m;
        for (const core::Description* d : core::Registry::all())
        {
            if (d->kind != core::Kind::Node)
            {
                m[FabricMechanism::TypeName(d->name)] = d;
            }
        }
        return m;
    }();
    return all;
}

/// Makes the TypeIds when the program starts, after the mechanisms have registered themselves.
struct RegisterMechanisms
{
    RegisterMechanisms()
    {
        for (const auto& [name, description] : Mechanisms())
        {
            TypeId tid = TypeId(name.c_str())
                             .SetParent<FabricMechanism>()
                             .SetGroupName("Fabric")
                             .AddConstructor<FabricMechanism>();
            AddComponentAttributes(tid, *description);
        }
    }
} g_registerMechanisms;

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
    switch (param.type)
    {
    case core::ParamType::Bool:
        return Create<BooleanValue>(std::get<bool>(value));
    case core::ParamType::Int:
        return Create<IntegerValue>(std::get<int64_t>(value));
    case core::ParamType::Float:
        return Create<DoubleValue>(std::get<double>(value));
    case core::ParamType::Time:
        return Create<TimeValue>(PicoSeconds(std::get<int64_t>(value)));
    case core::ParamType::Rate:
        return Create<DataRateValue>(DataRate(std::get<int64_t>(value)));
    case core::ParamType::Bytes:
        return Create<UintegerValue>(std::get<int64_t>(value));
    case core::ParamType::Choice:
        return Create<StringValue>(std::get<std::string>(value));
    }
    return nullptr;
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
                               MakeChecker(p));
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
