/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "fabric-slots.h"

#include "ns3/object-factory.h"
#include "ns3/object-vector.h"
#include "ns3/pointer.h"

namespace ns3
{
namespace fabric
{

namespace
{

/// The mechanism in a slot for one.
class SlotAccessor : public AttributeAccessor
{
  public:
    explicit SlotAccessor(std::string key)
        : m_key(std::move(key))
    {
    }

    bool Set(ObjectBase*, const AttributeValue&) const override
    {
        return false;
    }

    bool Get(const ObjectBase* object, AttributeValue& attribute) const override
    {
        const auto* holder = dynamic_cast<const SlotHolder*>(object);
        auto* value = dynamic_cast<PointerValue*>(&attribute);
        if (holder == nullptr || value == nullptr)
        {
            return false;
        }
        const auto plugged = holder->GetPlugged(*core::Slots::find(m_key));
        value->SetObject(plugged.empty() ? nullptr : plugged.front());
        return true;
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return false;
    }

  private:
    const std::string m_key;
};

/// The mechanisms in a slot for several.
class SlotListAccessor : public ObjectPtrContainerAccessor
{
  public:
    explicit SlotListAccessor(std::string key)
        : m_key(std::move(key))
    {
    }

  private:
    bool DoGetN(const ObjectBase* object, std::size_t* n) const override
    {
        const auto* holder = dynamic_cast<const SlotHolder*>(object);
        if (holder == nullptr)
        {
            return false;
        }
        *n = holder->GetPlugged(*core::Slots::find(m_key)).size();
        return true;
    }

    Ptr<Object> DoGet(const ObjectBase* object, std::size_t i, std::size_t* index) const override
    {
        *index = i;
        return dynamic_cast<const SlotHolder*>(object)->GetPlugged(*core::Slots::find(m_key))[i];
    }

    const std::string m_key;
};

} // namespace

Ptr<FabricMechanism>
StandardMechanisms::Create(const core::Slot& slot)
{
    Ptr<FabricMechanism>& model = m_models[&slot];
    if (!model)
    {
        model = ObjectFactory(FabricMechanism::TypeName(slot.standard)).Create<FabricMechanism>();
    }
    return CopyObject(model);
}

void
SlotHolder::Plug(const core::Slot& slot, Ptr<FabricMechanism> mechanism)
{
    try
    {
        core::plug(GetComponent(), slot, mechanism->GetComponent());
    }
    catch (const std::exception& e)
    {
        NS_FATAL_ERROR(e.what());
    }
    m_plugged.emplace_back(&slot, mechanism);
}

void
SlotHolder::PlugStandard(int classes, StandardMechanisms& standard)
{
    core::plugStandard(GetComponent(), classes, [&](const core::Slot& slot) -> core::Component& {
        m_plugged.emplace_back(&slot, standard.Create(slot));
        return m_plugged.back().second->GetComponent();
    });
}

std::vector<Ptr<FabricMechanism>>
SlotHolder::GetPlugged(const core::Slot& slot) const
{
    std::vector<Ptr<FabricMechanism>> found;
    for (const auto& [where, mechanism] : m_plugged)
    {
        if (where == &slot)
        {
            found.push_back(mechanism);
        }
    }
    return found;
}

void
SlotHolder::Unplug()
{
    m_plugged.clear();
}

const core::Slot&
FindSlot(const std::string& name)
{
    std::string known;
    for (const core::Slot& slot : core::Slots::all())
    {
        if (CamelCase(slot.key) == name)
        {
            return slot;
        }
        known += (known.empty() ? "" : ", ") + CamelCase(slot.key);
    }
    NS_FATAL_ERROR("there is no slot " << name << "; there are " << known);
}

TypeId
AddSlotAttributes(TypeId tid, core::Where where)
{
    for (const core::Slot& slot : core::Slots::all())
    {
        if (slot.where != where)
        {
            continue;
        }
        if (slot.count == core::Count::One)
        {
            tid = tid.AddAttribute(CamelCase(slot.key),
                                   slot.help,
                                   TypeId::ATTR_GET,
                                   PointerValue(),
                                   Ptr<const AttributeAccessor>(new SlotAccessor(slot.key), false),
                                   MakePointerChecker<FabricMechanism>());
        }
        else
        {
            tid = tid.AddAttribute(
                CamelCase(slot.key),
                slot.help,
                TypeId::ATTR_GET,
                ObjectVectorValue(),
                Ptr<const AttributeAccessor>(new SlotListAccessor(slot.key), false),
                MakeObjectVectorChecker<FabricMechanism>());
        }
    }
    return tid;
}

} // namespace fabric
} // namespace ns3
