/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef FABRIC_SLOTS_H
#define FABRIC_SLOTS_H

#include "fabric-component.h"

#include "mechanisms/core/slots.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace fabric
{

/// The mechanisms that stand in slots by default, copies of one of each. Lives no longer than one
/// call of the user's, who may change defaults between two.
class StandardMechanisms
{
  public:
    Ptr<FabricMechanism> Create(const core::Slot& slot);

  private:
    std::map<const core::Slot*, Ptr<FabricMechanism>> m_models;
};

/// What has slots for mechanisms: hosts, switches and their devices. Each slot is an attribute.
class SlotHolder : public ComponentHolder
{
  public:
    /// Puts a mechanism into a slot, behind those that stand there; ends the program with a reason
    /// where it has no place there.
    void Plug(const core::Slot& slot, Ptr<FabricMechanism> mechanism);
    /// Fills the slots in which nothing stands with what does by default. `classes`: of those that
    /// have a mechanism for each.
    void PlugStandard(int classes, StandardMechanisms& standard);
    std::vector<Ptr<FabricMechanism>> GetPlugged(const core::Slot& slot) const;

  protected:
    void Unplug();

  private:
    std::vector<std::pair<const core::Slot*, Ptr<FabricMechanism>>> m_plugged;
};

/// The slot with this attribute name, as in "CongestionControl"; ends the program where there is
/// none.
const core::Slot& FindSlot(const std::string& name);

/// Adds an attribute for every slot of such a place: a pointer, or a vector of them.
TypeId AddSlotAttributes(TypeId tid, core::Where where);

} // namespace fabric
} // namespace ns3

#endif /* FABRIC_SLOTS_H */
